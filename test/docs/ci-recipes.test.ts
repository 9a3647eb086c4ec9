// The files of docs/ci: each parses, and its shell lines create a sandbox with the version and the label of its job, and delete it.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

const folder = resolve(import.meta.dirname, "../../docs/ci");
const read = (name: string) => readFileSync(join(folder, name), "utf8");
/** The files are the project's, so their form is known; a wrong form fails the test. */
const parsed = <T>(name: string) => parse(read(name)) as T;

interface Recipe {
  /** The lines in the order in which the service runs them. Those of `cleanUp` run also if the others fail. */
  readonly lines: readonly string[];
  readonly cleanUp: readonly string[];
  readonly versions: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly label: string;
}

function gitlab(): Recipe {
  type Job = Record<"before_script" | "script" | "after_script", string[]> & {
    parallel: { matrix: { KUBERNETES: string[] }[] };
    variables: Record<string, string>;
  };
  const { test: job } = parsed<{ test: Job }>("gitlab-ci.yml");
  const predefined = { CI_PROJECT_DIR: ".", CI_PROJECT_ID: "7", CI_JOB_ID: "42" };
  const expand = (text: string) =>
    Object.entries(predefined).reduce((value, [name, replacement]) => value.replaceAll(`$${name}`, replacement), text);
  const variables = Object.entries(job.variables).map(([name, value]) => [name, expand(value)] as const);
  return {
    lines: [...job.before_script, ...job.script],
    cleanUp: job.after_script,
    versions: job.parallel.matrix.flatMap(({ KUBERNETES }) => KUBERNETES),
    environment: { ...Object.fromEntries(variables), KUBERNETES: "1.35" },
    label: "job=gitlab-7-42",
  };
}

function circleci(): Recipe {
  type Step = string | { run: { command: string; when?: string } };
  const { jobs, workflows } = parsed<{
    jobs: { test: { steps: Step[]; environment: Record<string, string> } };
    workflows: { test: { jobs: { test: { matrix: { parameters: { kubernetes: string[] } } } }[] } };
  }>("circleci.yml");
  const runs = jobs.test.steps.flatMap((step) => (typeof step === "string" ? [] : [step.run]));
  const commands = (isAlways: boolean) =>
    runs
      .filter(({ when }) => (when === "always") === isAlways)
      .map(({ command }) => command.replaceAll("<< parameters.kubernetes >>", "1.35"));
  return {
    lines: commands(false),
    cleanUp: commands(true),
    versions: workflows.test.jobs.flatMap((job) => job.test.matrix.parameters.kubernetes),
    environment: {
      ...jobs.test.environment,
      KUBECONFIG: "kubeconfig",
      BASH_ENV: "./env",
      CIRCLE_WORKFLOW_JOB_ID: "u-1",
    },
    label: "job=circleci-u-1",
  };
}

function jenkins(): Recipe {
  const text = read("Jenkinsfile");
  expect(text.split("{").length).toBe(text.split("}").length);
  const [before = "", after = ""] = text.split("always {");
  const shells = (groovy: string) =>
    [...groovy.matchAll(/\bsh (?:'''([^]*?)'''|'([^'\n]*)')/g)].map(([, long, short]) =>
      (long ?? short ?? "").replaceAll("\\\\", "\\"),
    );
  const versions = /values (.*)/.exec(before)?.[1] ?? "";
  return {
    lines: shells(before),
    cleanUp: shells(after),
    versions: versions.split(", ").map((version) => version.replaceAll("'", "")),
    environment: {
      WORKSPACE: ".",
      KUBECONFIG: "kubeconfig",
      KUBERNETES: "1.35",
      JENKINS_URL: "https://jenkins.example.org/",
      BUILD_TAG: `jenkins-a long name${"x".repeat(60)}%2Fmain-12`,
    },
    label: "job=jenkins-",
  };
}

function buildkite(): Recipe {
  const { steps } = parsed<{ steps: { matrix: string[]; command: string }[] }>("buildkite.yml");
  return {
    // The upload of a pipeline turns `$$` into `$`.
    lines: steps.map(({ command }) => command.replaceAll("$$", "$")),
    cleanUp: [read("buildkite-pre-exit.sh")],
    versions: steps.flatMap(({ matrix }) => matrix),
    environment: { KUBERNETES: "1.35", BUILDKITE_JOB_ID: "0199-ab" },
    label: "job=buildkite-0199-ab",
  };
}

/** Runs the lines with programs that record their words. Returns the lines that were recorded. */
function runLines({ lines, cleanUp, environment }: Recipe, isFailing: boolean): string[] {
  const at = mkdtempSync(join(tmpdir(), "recipe-"));
  const program = (path: string, body: string) => {
    writeFileSync(join(at, path), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  };
  mkdirSync(join(at, "bin"));
  // npm installs the command line into the folder of --prefix.
  const install = 'mkdir -p "$3/node_modules/.bin" && cp bin/sandbar "$3/node_modules/.bin/"';
  program("bin/npm", `echo "npm $*" >> log; if [ "$2" = --prefix ]; then ${install}; fi`);
  program("bin/sandbar", 'echo "sandbar $*" >> log; echo kubeconfig');
  program("test.sh", `echo "test $(cat "$KUBECONFIG")" >> log; exit ${isFailing ? 1 : 0}`);
  const env = { PATH: `${join(at, "bin")}:/usr/bin:/bin`, SANDBAR_PACKAGE: "package.tgz", ...environment };
  for (const script of [lines.join("\n"), cleanUp.join("\n")])
    spawnSync("bash", ["-e", "-c", script], { cwd: at, env, timeout: 20_000 });
  return readFileSync(join(at, "log"), "utf8").trimEnd().split("\n");
}

describe.each([
  ["gitlab", gitlab],
  ["circleci", circleci],
  ["jenkins", jenkins],
  ["buildkite", buildkite],
])("the recipe for %s", (_, recipeOf) => {
  test.each([false, true])("creates, tests and deletes a sandbox (the tests fail: %s)", (isFailing) => {
    const recipe = recipeOf();
    const [install, create = "", tested, deleted = "", ...more] = runLines(recipe, isFailing);
    expect([install, tested, more]).toEqual([expect.stringContaining("package.tgz"), "test kubeconfig", []]);
    const label = /--label (\S+)/.exec(create)?.[1] ?? "";
    expect(label.startsWith(recipe.label)).toBe(true);
    expect(label.slice("job=".length)).toMatch(/^[A-Za-z0-9][\w.-]{0,61}[A-Za-z0-9]$/);
    expect(create).toContain("--kubernetes-version 1.35 ");
    expect(create).toMatch(/ --ttl 1h .* --wait$/);
    expect(deleted).toBe(`sandbar delete --label ${label}`);
  });

  test("has each version of Kubernetes", () => {
    expect(recipeOf().versions).toEqual(["1.33", "1.34", "1.35", "1.36"]);
  });
});

test("the workflow for GitHub has only inputs of the action", () => {
  const { jobs } = parsed<{ jobs: { test: { steps: { with?: Record<string, string> }[] } } }>("github.yml");
  const inputNames = jobs.test.steps.flatMap((step) => Object.keys(step.with ?? {}));
  const { inputs } = parsed<{ inputs: Record<string, unknown> }>("../../action/action.yml");
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(inputNames));
  expect(inputNames).toContain("kubernetes-version");
});
