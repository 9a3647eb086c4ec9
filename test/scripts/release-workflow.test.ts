// The workflow that publishes a release: which events publish, with which rights, and that its commands exist.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { repository } from "../../scripts/release/names.ts";

interface Step {
  readonly name?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly if?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: { readonly push: { readonly tags: readonly string[] } };
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const root = resolve(import.meta.dirname, "../..");
// The file is the project's own.
const workflow = parse(readFileSync(join(root, ".github/workflows/release.yml"), "utf8")) as Workflow;
const jobs = Object.entries(workflow.jobs);
const steps = jobs.flatMap(([job, { steps: all, if: condition }]) => all.map((step) => ({ job, condition, ...step })));

/** The script as it runs after a push, or when it is started by hand. */
function scriptOf({ run = "" }: Step, event: "push" | "workflow_dispatch"): string {
  return run
    .replaceAll(/\$\{\{ github\.event_name == 'push' && '([^']*)' \|\| '([^']*)' \}\}/g, event === "push" ? "$1" : "$2")
    .replaceAll(/\$\{\{[^}]*\}\}/g, "x");
}

describe("the release workflow", () => {
  test.each(steps.filter(({ run }) => run).map((step) => [step.job, step.name ?? step.run ?? "", step] as const))(
    "%s: %s is a script that bash reads",
    (_, __, step) => {
      for (const event of ["push", "workflow_dispatch"] as const) {
        const { status, stderr } = spawnSync("bash", ["-n"], { input: scriptOf(step, event), encoding: "utf8" });
        expect([status, stderr]).toEqual([0, ""]);
      }
    },
  );

  test("runs only scripts that the checkout has", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
    const all = steps.map(({ run = "" }) => run).join("\n");
    const named = [...all.matchAll(/\bnpm run (\S+)/g)].map(([, name = ""]) => name);
    const files = [...all.matchAll(/\bnode (scripts\/\S+)/g)].map(([, file = ""]) => file);
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    expect([named.length, files.length]).toEqual([1, 1]);
  });

  test("publishes only after the push of a tag of a version", () => {
    expect(workflow.on.push.tags).toEqual(["v[0-9]+.[0-9]+.[0-9]+"]);
    const publishes = /\bgh release create\b|\bgo list -m\b|gh-action-pypi-publish/;
    const unguarded = steps.filter(({ run = "", uses = "", if: stepIf, condition }) => {
      const isGuarded = [stepIf, condition].includes("github.event_name == 'push'");
      return publishes.test(run + uses) && !isGuarded;
    });
    expect(unguarded).toEqual([]);
    const npm = steps.find(({ run = "" }) => run.includes("npm publish"));
    expect(scriptOf(npm ?? {}, "push")).toContain("--provenance");
    expect(scriptOf(npm ?? {}, "workflow_dispatch")).toContain("--dry-run");
    for (const { env = {} } of steps)
      for (const value of Object.values(env).filter((text) => /ghcr|maven\.pkg/.test(text)))
        expect(value).toMatch(
          /^\$\{\{ github\.event_name == 'push' && format\('.*', github\.repository\) \|\| '(dir|file):/,
        );
  });

  test("gives each job only the rights that it uses, and reads no stored secret", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
    expect(Object.fromEntries(jobs.map(([name, { permissions }]) => [name, permissions]))).toEqual({
      build: undefined,
      npm: { contents: "read", "id-token": "write" },
      image: { contents: "read", packages: "write" },
      python: { contents: "read", "id-token": "write" },
      java: { contents: "read", packages: "write" },
      go: undefined,
      page: { contents: "write" },
    });
    expect(JSON.stringify(workflow)).not.toContain("secrets.");
  });

  test("is in the repository that the packages and the Go module name", () => {
    const [, module = ""] = /^module (\S+)$/m.exec(readFileSync(join(root, "sdk/go/go.mod"), "utf8")) ?? [];
    expect(`git+https://${module.replace(/\/sdk\/go$/, "")}.git`).toBe(repository.url);
  });
});
