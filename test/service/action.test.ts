// The steps of the GitHub Action, run as a runner runs them.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { parse } from "yaml";
import { type Installed, installClient } from "./client.ts";
import { projectRoot } from "./service.ts";

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly {
      readonly env: Readonly<Record<string, string>>;
      readonly run: string;
      readonly shell: string;
    }[];
  };
}

const service = inject("service");
// The project's own file.
const action = parse(readFileSync(join(projectRoot, "action/action.yml"), "utf8")) as Action;
let installed: Installed;

beforeAll(async () => {
  installed = await installClient(service);
});
afterAll(() => installed.remove());

/** Runs all steps, until one fails. */
function runAction(given: Readonly<Record<string, string>>) {
  const temp = mkdtempSync(join(installed.folder, "runner-"));
  const [output, environment] = [join(temp, "output"), join(temp, "env")];
  for (const path of [output, environment]) writeFileSync(path, "");
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, one]) => [name, given[name] ?? one.default ?? ""]),
  );
  let [code, log] = [0, ""];
  for (const { env, run, shell } of action.runs.steps) {
    expect(shell).toBe("bash");
    const set = Object.entries(env).map(([name, text]) => [
      name,
      text.replaceAll(/\$\{\{ inputs\.([-\w]+) \}\}/g, (_, input: string) => inputs[input] ?? ""),
    ]);
    const ran = spawnSync("bash", ["-c", run], {
      cwd: temp,
      env: {
        ...process.env,
        ...Object.fromEntries(set),
        RUNNER_TEMP: temp,
        GITHUB_OUTPUT: output,
        GITHUB_ENV: environment,
      },
      encoding: "utf8",
    });
    log += ran.stdout + ran.stderr;
    code = ran.status ?? 1;
    if (code !== 0) break;
  }
  const pairs = (path: string) =>
    Object.fromEntries(
      readFileSync(path, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => line.split(/=(.*)/s, 2)),
    );
  return { code, log, temp, outputs: pairs(output), environment: pairs(environment) };
}

function inputsOf(more: Readonly<Record<string, string>> = {}) {
  const archive = join(installed.folder, readPackage());
  return { server: service.http, "api-key": service.apiKey, package: archive, ...more };
}

function readPackage(): string {
  const { dependencies } = JSON.parse(readFileSync(join(installed.folder, "package.json"), "utf8"));
  return String(dependencies.sandbar).replace("file:", "");
}

const manifests = (image: string) =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\nspec:\n  selector: { matchLabels: { app: web } }\n  template:\n    metadata: { labels: { app: web } }\n    spec: { containers: [{ name: web, image: ${image} }] }\n`;

test("K5: it is composite, and each input that has no default is required", () => {
  expect(action.runs.using).toBe("composite");
  const wanting = Object.entries(action.inputs).filter(([, one]) => one.default === undefined);
  expect(wanting.map(([name, { required }]) => [name, required])).toEqual([
    ["server", true],
    ["api-key", true],
  ]);
});

test("K5: it makes a sandbox of manifests and leaves a kubeconfig for the steps that follow", async () => {
  mkdirSync(join(installed.folder, "app files"), { recursive: true });
  const path = join(installed.folder, "app files", "app.yaml");
  writeFileSync(path, manifests("nginx"));
  const ran = runAction(inputsOf({ manifests: `${path}\n`, labels: "by=action\nrun=1" }));
  expect([ran.code, ran.log]).toEqual([0, expect.stringMatching(/^::add-mask::sba_/m)]);
  const { id, kubeconfig = "" } = ran.outputs;
  expect(ran.environment["KUBECONFIG"]).toBe(kubeconfig);
  const config = readFileSync(kubeconfig, "utf8");
  expect(config).toContain(`/c/${id}"`);
  const token = /token: "([^"]+)"/.exec(config)?.[1] ?? "";
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${service.http}/c/${id}/apis/apps/v1/namespaces/default/deployments/web`, { headers });
  expect(await answer.json()).toMatchObject({ status: { availableReplicas: 1 } });
  const found = await installed.sandbar(["list", "--label", "by=action", "--label", "run=1", "--json"]);
  expect(JSON.parse(found.stdout)).toMatchObject([{ id }]);
  rmSync(ran.temp, { recursive: true });
});

test("K5: where the workloads do not become available it fails, says why, and the sandbox may be looked into", () => {
  const path = join(installed.folder, "broken.yaml");
  writeFileSync(path, manifests("nginx:doesnotexist"));
  const ran = runAction(inputsOf({ manifests: path, "wait-seconds": "1" }));
  expect([ran.code, ran.outputs["id"]]).toEqual([3, expect.stringMatching(/^[a-z2-7]{26}$/)]);
  expect(ran.log).toContain("Deployment default/web is not ready: ");
  expect(readFileSync(ran.outputs["kubeconfig"] ?? "", "utf8")).toContain("kind: Config");
});

test("K5: what the service refuses fails the step, and leaves no outputs", () => {
  const path = join(installed.folder, "wrong.yaml");
  writeFileSync(path, "kind: Nope\napiVersion: v1\n");
  const refused = runAction(inputsOf({ manifests: path }));
  expect([refused.code, refused.log]).toEqual([
    1,
    expect.stringContaining(`${path}:1: kind: no matches for kind "Nope"`),
  ]);
  expect(refused.outputs).toEqual({});
});

test("K5: a wrong key fails with what the service says", () => {
  const ran = runAction(inputsOf({ "api-key": "sbk_aaaaaaaaaaaaaaaaaaaaaaaa" }));
  expect([ran.code, ran.log]).toEqual([1, expect.stringContaining("send an API key")]);
});

test("K5: with a template it begins with that, and the tokens of its users are masked", () => {
  const { code, log, outputs } = runAction(inputsOf({ template: "team-quota" }));
  expect([code, /^[a-z2-7]{26}$/.test(outputs["id"] ?? "")]).toEqual([0, true]);
  expect(log.match(/^::add-mask::sb[au]_/gm)).toEqual(["::add-mask::sba_", "::add-mask::sbu_"]);
});
