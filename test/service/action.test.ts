// The steps of the GitHub Action, run as a runner runs them.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { parse } from "yaml";
import { type Installed, installClient } from "./client.ts";
import { projectRoot } from "./service.ts";

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
  readonly runs: Readonly<Record<string, string>>;
}

const service = inject("service");
// The project's own file.
const action = parse(readFileSync(join(projectRoot, "action/action.yml"), "utf8")) as Action;
let installed: Installed;
let checkout: string;

beforeAll(async () => {
  installed = await installClient(service);
  checkout = mkdtempSync(join(installed.folder, "checkout-"));
  for (const name of ["action", "client", "shared", "package.json"])
    cpSync(join(projectRoot, name), join(checkout, name), { recursive: true });
});
afterAll(() => installed.remove());

/** Runs steps as the runner does: in a checkout of the action's repository at its version, without installed packages. */
function runner(inputs: Readonly<Record<string, string>>) {
  const temp = mkdtempSync(join(installed.folder, "runner-"));
  const files = ["GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_STATE"].map((name) => [name, join(temp, name)] as const);
  for (const [, path] of files) writeFileSync(path, "");
  const inputVariables = Object.entries(action.inputs).map(([name, input]) => [
    `INPUT_${name.toUpperCase()}`,
    inputs[name] ?? input.default ?? "",
  ]);
  const environment = {
    ...Object.fromEntries([...inputVariables, ...files]),
    RUNNER_TEMP: temp,
    PATH: process.env["PATH"],
  };
  const run = (step: string, more: Readonly<Record<string, string>> = {}) => {
    const path = join(checkout, "action", action.runs[step] ?? "");
    const ran = spawnSync(process.execPath, [path], {
      cwd: temp,
      env: { ...environment, ...more },
      encoding: "utf8",
    });
    return { code: ran.status ?? 1, log: ran.stdout + ran.stderr };
  };
  const pairs = (name: string) =>
    Object.fromEntries(
      readFileSync(join(temp, name), "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => line.split(/=(.*)/s, 2)),
    );
  return { environment, temp, run, pairs };
}

/** Runs the main step. */
function runAction(inputs: Readonly<Record<string, string>>) {
  const { temp, run, pairs } = runner(inputs);
  return {
    ...run("main"),
    temp,
    outputs: pairs("GITHUB_OUTPUT"),
    environment: pairs("GITHUB_ENV"),
    /** Runs the post step with what the main step saved. */
    end: () => run("post", statesOf(pairs("GITHUB_STATE"))),
  };
}

/** Returns the variables in which the runner passes the main step's states to the post step. */
function statesOf(states: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(states).map(([name, value]) => [`STATE_${name}`, value]));
}

function inputsOf(more: Readonly<Record<string, string>> = {}) {
  return { server: service.http, "api-key": service.apiKey, ...more };
}

const manifests = (image: string) =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\nspec:\n  selector: { matchLabels: { app: web } }\n  template:\n    metadata: { labels: { app: web } }\n    spec: { containers: [{ name: web, image: ${image} }] }\n`;

test("K5: the action runs on the runner's Node.js, and requires each input without a default", () => {
  expect(action.runs).toEqual({ using: "node24", main: "main.ts", post: "post.ts", "post-if": "always()" });
  const wanting = Object.entries(action.inputs).filter(([, input]) => input.default === undefined);
  expect(wanting.map(([name, { required }]) => [name, required])).toEqual([
    ["server", true],
    ["api-key", true],
  ]);
});

test("K5: the action creates a sandbox from manifests and passes a kubeconfig to later steps", async () => {
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
  const outcome = await installed.sandbar(["list", "--label", "by=action", "--label", "run=1", "--json"]);
  expect(JSON.parse(outcome.stdout)).toMatchObject([{ id }]);
  expect(ran.end()).toEqual({ code: 0, log: `sandbox ${id} is deleted\n` });
  expect((await installed.sandbar(["get", id ?? ""])).stderr).toContain("there is no such sandbox");
  expect(ran.end()).toEqual({ code: 0, log: "" });
  rmSync(ran.temp, { recursive: true });
});

test("K5: the action fails with the reason if workloads stay unavailable, and keeps the sandbox for inspection", () => {
  const path = join(installed.folder, "broken.yaml");
  writeFileSync(path, manifests("nginx:doesnotexist"));
  const ran = runAction(inputsOf({ manifests: path, "wait-seconds": "1", delete: "false" }));
  expect([ran.code, ran.outputs["id"]]).toEqual([1, expect.stringMatching(/^[a-z2-7]{26}$/)]);
  expect(ran.end()).toEqual({ code: 0, log: "" });
  expect(ran.log).toContain("::error::Deployment default/web is not ready: ");
  expect(readFileSync(ran.outputs["kubeconfig"] ?? "", "utf8")).toContain("kind: Config");
});

test("K5: a refusal by the service fails the step without outputs", () => {
  const path = join(installed.folder, "wrong.yaml");
  writeFileSync(path, "kind: Nope\napiVersion: v1\n");
  const refused = runAction(inputsOf({ manifests: path }));
  expect([refused.code, refused.log]).toEqual([
    1,
    expect.stringContaining(`${path}:1: kind: no matches for kind "Nope"`),
  ]);
  expect(refused.outputs).toEqual({});
  expect(refused.end()).toEqual({ code: 0, log: "" });
});

test("K5: a wrong key fails with the service's message", () => {
  const ran = runAction(inputsOf({ "api-key": "sbk_aaaaaaaaaaaaaaaaaaaaaaaa" }));
  expect([ran.code, ran.log]).toEqual([1, expect.stringContaining("send an API key")]);
});

test("K5: a template's users have masked tokens", () => {
  const { code, log, outputs } = runAction(inputsOf({ template: "team-quota" }));
  expect([code, /^[a-z2-7]{26}$/.test(outputs["id"] ?? "")]).toEqual([0, true]);
  expect(log.match(/^::add-mask::sb[au]_/gm)).toEqual(["::add-mask::sba_", "::add-mask::sbu_"]);
});

test("K5: the post step deletes the sandbox of a main step that was killed during the creation", async () => {
  const path = join(installed.folder, "waiting.yaml");
  writeFileSync(path, manifests("nginx:doesnotexist"));
  const { environment, temp, run, pairs } = runner(inputsOf({ manifests: path, labels: "by=killed" }));
  const main = spawn(process.execPath, [join(checkout, "action", action.runs["main"] ?? "")], {
    cwd: temp,
    env: environment,
    stdio: "ignore",
  });
  const list = async () => (await installed.sandbar(["list", "--label", "by=killed", "--json"])).stdout;
  await vi.waitFor(async () => expect(JSON.parse(await list())).toHaveLength(1), { timeout: 30_000, interval: 200 });
  main.kill("SIGKILL");
  await once(main, "exit");
  expect(pairs("GITHUB_STATE")).not.toHaveProperty("id");
  expect(run("post", statesOf(pairs("GITHUB_STATE")))).toEqual({
    code: 0,
    log: expect.stringMatching(/^sandbox \S+ is deleted\n$/),
  });
  expect(JSON.parse(await list())).toEqual([]);
});
