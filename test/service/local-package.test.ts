// The package of the local service as a user has it: packed, installed into an empty folder, and run there, without a checkout.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildLocal } from "../../scripts/local/packed/build.ts";
import { freePorts, projectRoot } from "./service.ts";

const installMs = 600_000;
const folder = mkdtempSync(join(tmpdir(), "sandbar-local-"));

beforeAll(async () => {
  if (!process.env["SANDBAR_SKIP_BUILD"] || !existsSync(join(projectRoot, "dist/local"))) await buildLocal(projectRoot);
  const quiet = { cwd: folder, stdio: "pipe" } as const;
  execFileSync("npm", ["pack", join(projectRoot, "dist/local"), "--silent"], quiet);
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  writeFileSync(join(folder, "package.json"), '{ "name": "user", "private": true }\n');
  execFileSync("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--silent", `./${archive}`], quiet);
}, installMs);
const begun: ChildProcess[] = [];
afterAll(() => {
  for (const child of begun) child.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
});

/** As `npx` in that folder runs it, with nothing of the project in its environment. */
async function run(words: readonly string[], until = "\n") {
  const ports = await freePorts();
  const ownEnvironment = Object.entries(process.env).filter(([name]) => !/^(npm_|SANDBAR_|KUBECONFIG)/.test(name));
  const child = spawn("npx", ["--offline", "sandbar-local", ...words], {
    cwd: folder,
    env: {
      ...Object.fromEntries(ownEnvironment),
      SANDBAR_HTTP_PORT: String(ports.http),
      SANDBAR_HTTPS_PORT: String(ports.https),
    },
  });
  begun.push(child);
  let output = "";
  const ended = new Promise<number | null>((done) => child.once("close", done));
  await new Promise<void>((done) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        if (output.includes(until)) done();
      });
    }
    void ended.then(() => done());
  });
  const answers = () =>
    fetch(`http://127.0.0.1:${ports.http}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  return { child, output: () => output, ended, answers, ports };
}

test("K14: the package alone serves a cluster for kubectl with the commands that it prints, keeps it, and stops with npx", async () => {
  const nodes: string[] = [];
  for (const time of ["first", "second"]) {
    const service = await run(["dev"], "kubectl get nodes\n");
    expect([time, service.output()]).toEqual([time, expect.stringContaining("Sandbar ready\n")]);
    expect(service.output()).toContain(`Console: http://localhost:${service.ports.http}/`);
    const page = await fetch(`http://127.0.0.1:${service.ports.http}/`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<title>")]);
    const docs = await fetch(`http://127.0.0.1:${service.ports.http}/docs/api`);
    expect([docs.status, await docs.text()]).toEqual([200, expect.stringContaining("<title>Control API")]);
    // As they are printed.
    const lines = service.output().slice(service.output().indexOf("export KUBECONFIG"));
    const shellEnvironment = { ...process.env, KUBECONFIG: "" };
    nodes.push(
      execFileSync("sh", ["-c", `${lines.trimEnd()} -o name`], { env: shellEnvironment, cwd: tmpdir() }).toString(),
    );
    expect(existsSync(join(folder, ".sandbar/api-key"))).toBe(true);
    // A killed npx cannot tell anyone, and the service ends with it all the same.
    service.child.kill(time === "first" ? "SIGKILL" : "SIGTERM");
    await service.ended;
    await expect.poll(service.answers, { timeout: 10_000 }).toBe(false);
  }
  expect(nodes[0]).toMatch(/^(node\/\S+\n)+$/);
  expect(nodes[1]).toBe(nodes[0]);
});

test("K14: the installation has less than 150 MB, nearly all of it workerd", () => {
  const bytesBelow = (path: string): number =>
    readdirSync(path, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  const scopes = readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."));
  expect(scopes).toEqual(["@cloudflare", "@sandbar-dev"]);
  expect(bytesBelow(join(folder, "node_modules"))).toBeLessThan(150_000_000);
});

test("K14: an unknown command exits with 2 and a message, and help and version are printed", async () => {
  const wrong = await run(["serve"]);
  expect([await wrong.ended, wrong.output()]).toEqual([2, expect.stringContaining('there is no command "serve"')]);
  const help = await run(["--help"]);
  expect([await help.ended, help.output()]).toEqual([0, expect.stringContaining("SANDBAR_DATA")]);
  const version = await run(["version"]);
  expect([await version.ended, version.output()]).toEqual([0, expect.stringMatching(/\d+\.\d+\.\d+\n/)]);
});
