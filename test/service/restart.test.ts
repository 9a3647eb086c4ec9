// Starting and ending: orderly, by a kill in the middle of writes, again on the same data, and where it cannot start.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { Deployment } from "../../shared/k8s/api/apps-v1.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { eventually } from "./kubectl.ts";
import { type TestSandbox, newSandbox } from "./sandbox.ts";
import { type RunningService, freePorts, launch, projectRoot, startService } from "./service.ts";

const environment = { SANDBAR_KUBELET_DELAYS: "zero" };
const connections = 8;

let data = "";
beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), "sandbar-restart-"));
});
afterAll(() => {
  chmodSync(data, 0o700);
  rmSync(data, { recursive: true, force: true });
});

describe("restarts of the service", () => {
  test("SIGTERM stops it within five seconds, with exit code 0 and no process left", async () => {
    const service = await startService({ environment });
    const descendants = processesBelow(service.address.pid);
    expect(descendants.length).toBeGreaterThan(0);
    const { tookMs, code } = await service.stop();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(5000);
    await eventually(
      () => "all its processes have ended",
      () => descendants.every((pid) => !isAlive(pid)),
    );
  });

  test("S2: a sandbox, its objects and its kubeconfig survive a restart, and pods continue", async () => {
    const ports = await freePorts();
    const folder = join(data, "kept");
    const first = await startService({ data: folder, ports, environment });
    const sandbox = await newSandbox({}, first.address);
    await createDeployment(sandbox, "web", 3);
    await converged(sandbox, "web", 3);
    const before = await podUids(sandbox);
    const playground = readFileSync(first.address.kubeconfig, "utf8");
    await first.stop();
    const second = await startService({ data: folder, ports, environment });
    try {
      expect(readFileSync(second.address.kubeconfig, "utf8")).toBe(playground);
      expect(await podUids(sandbox)).toEqual(before);
      const patch = { method: "PATCH", body: JSON.stringify({ spec: { replicas: 5 } }) };
      const headers = { "content-type": "application/merge-patch+json" };
      const path = "/apis/apps/v1/namespaces/default/deployments/web";
      expect((await sandbox.fetch(path, { ...patch, headers })).status).toBe(200);
      await converged(sandbox, "web", 5);
    } finally {
      await second.stop();
    }
  });

  test("C3: after a kill during 1,000 creates every object with a 201 is stored, and Deployments converge", async () => {
    const ports = await freePorts();
    const folder = join(data, "killed");
    const first = await startService({ data: folder, ports, environment });
    const sandbox = await newSandbox({}, first.address);
    for (const name of ["a", "b", "c"]) await createDeployment(sandbox, name, 4);
    const descendants = processesBelow(first.address.pid);
    const answered = await createUntilKilled(sandbox, first);
    expect(answered.length, "the kill came in the middle").toBeLessThan(1000);
    expect(answered.length).toBeGreaterThanOrEqual(400);
    await eventually(
      () => "no process outlives the kill",
      () => descendants.every((pid) => !isAlive(pid)),
    );
    const second = await startService({ data: folder, ports, environment });
    try {
      const list = (await (await sandbox.fetch("/api/v1/namespaces/default/configmaps")).json()) as List;
      const existingNames = new Set(list.items.map(({ metadata }) => metadata.name));
      expect(answered.filter((name) => !existingNames.has(name))).toEqual([]);
      for (const name of ["a", "b", "c"]) await converged(sandbox, name, 4);
    } finally {
      await second.stop();
    }
  });
});

describe("a start that fails with one line and exit code 1", () => {
  test.each(["http", "https"] as const)("for a busy %s port", async (which) => {
    const server = createServer();
    const ports = await freePorts();
    await new Promise<void>((done) => void server.listen(ports[which], "127.0.0.1", done));
    try {
      const refusal = await refused({ data: join(data, "busy"), ports });
      expect(refusal).toMatch(
        new RegExp(`^Port ${ports[which]} is busy: set SANDBAR_${which.toUpperCase()}_PORT to another\\.\\n$`),
      );
    } finally {
      server.close();
    }
  });

  test("for an unwritable data folder", async () => {
    writeFileSync(join(data, "file"), "");
    const ports = await freePorts();
    for (const folder of [join(data, "file"), join(data, "file/below"), "/proc/sandbar"]) {
      expect(await refused({ data: folder, ports })).toMatch(
        /^The data folder \S+ cannot be written \(.+\): set SANDBAR_DATA to another\.\n$/,
      );
    }
    // Root may write everywhere; others may not.
    if (process.getuid?.() === 0) return;
    chmodSync(data, 0o500);
    expect(await refused({ data: join(data, "none"), ports })).toMatch(/cannot be written/);
    chmodSync(data, 0o700);
  });

  test("for a data folder in use by another service", async () => {
    const { data: folder, pid } = inject("service");
    const refusal = await refused({ data: folder, ports: await freePorts() });
    expect(refusal).toBe(
      `The data folder ${folder} is in use by process ${pid}: stop it, or set SANDBAR_DATA to another.\n`,
    );
  });

  test("for an invalid port", async () => {
    const ports = await freePorts();
    const refusal = await refused({ data: join(data, "ports"), ports, environment: { SANDBAR_HTTP_PORT: "eighty" } });
    expect(refusal).toBe('SANDBAR_HTTP_PORT must be a port number, not "eighty".\n');
  });

  test("for an old version of Node.js", () => {
    const { status, stderr } = startedBy("18.20.0", join(projectRoot, "scripts/start.cjs"));
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Sandbar needs Node 20 or later; this is v18\.20\.0\.\n$/);
  });

  test("for a sufficient version of Node.js before npm ci", () => {
    const scripts = mkdtempSync(join(data, "bare-"));
    for (const name of ["start.cjs", "local/own-node.cjs"]) {
      mkdirSync(dirname(join(scripts, name)), { recursive: true });
      copyFileSync(join(projectRoot, "scripts", name), join(scripts, name));
    }
    const { status, stderr } = startedBy("22.0.0", join(scripts, "start.cjs"));
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Run `npm ci` first: .*\n$/);
  });
});

interface List {
  readonly items: { readonly metadata: { readonly name: string; readonly uid: string } }[];
}

/** Creates ConfigMaps over several connections and kills the service in the middle; gives the names that were answered 201. */
async function createUntilKilled(sandbox: TestSandbox, service: RunningService): Promise<string[]> {
  const answered: string[] = [];
  const kills: Promise<void>[] = [];
  let next = 0;
  const writeNext = async () => {
    while (next < 1000) {
      const name = `cm-${next++}`;
      const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { name } });
      try {
        const path = "/api/v1/namespaces/default/configmaps";
        const { status } = await sandbox.fetch(path, { method: "POST", body });
        if (status === 201) answered.push(name);
      } catch {
        return; // The service is dead.
      }
      if (answered.length >= 400 && kills.length === 0) kills.push(service.kill());
    }
  };
  await Promise.all(Array.from({ length: connections }, writeNext));
  await Promise.all(kills);
  return answered;
}

async function createDeployment(sandbox: TestSandbox, name: string, replicas: number): Promise<void> {
  const labels = { app: name };
  const body = JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "nginx" }] } },
    },
  });
  const { status } = await sandbox.fetch("/apis/apps/v1/namespaces/default/deployments", { method: "POST", body });
  expect(status).toBe(201);
}

async function converged(sandbox: TestSandbox, name: string, replicas: number): Promise<void> {
  await eventually(
    () => `${name} has ${replicas} pods`,
    async () => {
      const answer = await sandbox.fetch(`/apis/apps/v1/namespaces/default/deployments/${name}`);
      const { status } = (await answer.json()) as Deployment;
      return status?.readyReplicas === replicas && status.replicas === replicas;
    },
    60_000,
  );
  const answer = await sandbox.fetch(`/api/v1/namespaces/default/pods?labelSelector=app%3D${name}`);
  const { items } = (await answer.json()) as { items: Pod[] };
  expect(items.map(({ status }) => status?.phase)).toEqual(Array.from({ length: replicas }, () => "Running"));
}

async function podUids(sandbox: TestSandbox): Promise<string[]> {
  const answer = await sandbox.fetch("/api/v1/namespaces/default/pods");
  return ((await answer.json()) as List).items.map(({ metadata }) => metadata.uid);
}

/** Returns the complete output of a refused start. */
async function refused(options: Parameters<typeof launch>[0]): Promise<string> {
  const { exited, output } = launch(options);
  expect(await exited, output()).toBe(1);
  return output();
}

/** Runs the start script under a Node that claims to be of another version. */
function startedBy(version: string, script: string) {
  const disguise = join(mkdtempSync(join(data, "disguise-")), "disguise.cjs");
  writeFileSync(
    disguise,
    `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });
Object.defineProperty(process, "version", { value: "v${version}" });`,
  );
  return spawnSync(process.execPath, ["--require", disguise, script], { encoding: "utf8", timeout: 20_000 });
}

function processesBelow(parent: number): number[] {
  const text = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const pairs = text.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  const children = pairs.flatMap(([pid, of]) => (pid !== undefined && of === parent ? [pid] : []));
  return [...children, ...children.flatMap(processesBelow)];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie that nobody reaped yet is dead.
  return !/^State:\s+Z/m.test(statusOf(pid));
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "State: Z";
  }
}
