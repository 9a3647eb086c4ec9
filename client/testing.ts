// Clusters for tests: one for each test, deleted when the test ends, whatever else runs at the same time. Clusters of a process that is
// interrupted or killed are deleted by a process of their own.
import { spawn } from "node:child_process";
import { Socket } from "node:net";
import { type Creating, type CreateSandbox, Sandbar, type SandbarOptions, type SandboxWithToken } from "./index.ts";

export interface ClusterOptions extends SandbarOptions, Pick<Creating, "wait" | "waitSeconds"> {
  /** The body of the creation. By default a cluster lives ten minutes and its kubelets take no time. */
  readonly sandbox?: CreateSandbox;
}

export interface TestCluster extends SandboxWithToken {
  readonly client: Sandbar;
  kubeconfig(): Promise<string>;
  /** Sends a request to its Kubernetes API: as its administrator, and JSON, unless the headers say otherwise. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Deletes it. Calling it again does nothing. */
  remove(): Promise<void>;
}

const ttlSeconds = 600;
/** The clusters of one process have it, so that they can be deleted together. */
const runLabel = "sandbar-test-run";
const run = crypto.randomUUID();

/** Creates a cluster, which the caller removes. It is removed at the latest when the process ends. */
export async function createCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  const client = new Sandbar(options);
  const release = keep(client.url, options);
  try {
    return clusterOf(client, await client.createSandbox(beginning(options), options), release);
  } catch (error) {
    release();
    throw error;
  }
}

/** Calls a function with a cluster of its own, and removes the cluster when the function has returned or thrown. */
export async function withCluster<T>(
  options: ClusterOptions,
  body: (cluster: TestCluster) => Promise<T> | T,
): Promise<T> {
  const cluster = await createCluster(options);
  try {
    return await body(cluster);
  } finally {
    await cluster.remove();
  }
}

/** A fixture for `test.extend` of Vitest and Playwright: a cluster for each test that names it. */
export function clusterFixture(options: ClusterOptions = {}) {
  // Both read the names of other fixtures from this pattern.
  return async ({}: object, use: (cluster: TestCluster) => Promise<void>): Promise<void> => withCluster(options, use);
}

/** Returns `test` of `node:test`, Jest, Mocha or Bun with a cluster for each test as the first argument of its function. */
export function testWithCluster<A extends unknown[], R>(
  test: (name: string, body: (...given: A) => Promise<void>) => R,
  options: ClusterOptions = {},
): (name: string, body: (cluster: TestCluster, ...given: A) => Promise<void> | void) => R {
  // Jest takes a function with named parameters for one that calls back.
  return (name, body) => test(name, (...given) => withCluster(options, (cluster) => body(cluster, ...given)));
}

function beginning({ sandbox = {} }: ClusterOptions): CreateSandbox {
  const labels = { ...sandbox.labels, [runLabel]: run };
  // A snapshot and a template have a speed of their own.
  const hasSpeed = sandbox.snapshot !== undefined || sandbox.template !== undefined;
  return { ttlSeconds, ...(hasSpeed ? {} : { kubeletSpeed: "zero" }), ...sandbox, labels };
}

function clusterOf(client: Sandbar, sandbox: SandboxWithToken, release: () => void): TestCluster {
  const { id, token } = sandbox;
  let removal: Promise<void> | undefined;
  return {
    ...sandbox,
    client,
    kubeconfig: () => client.getKubeconfig(id),
    fetch: (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has("authorization")) headers.set("authorization", `Bearer ${token}`);
      if (init.body && !headers.has("content-type")) headers.set("content-type", "application/json");
      return fetch(`${client.clusterUrl(id)}${path}`, { ...init, headers });
    },
    remove: () => (removal ??= client.deleteSandbox(id).finally(release)),
  };
}

/**
 * A process that deletes the clusters of this one when this one ends with some left. It reads lines of JSON until the pipe closes, which
 * also happens when this process is killed. A creation that was under way then may end later, so it asks again after a while.
 */
const reaperProgram = `
let text = "";
for await (const chunk of process.stdin) text += chunk;
const { url, key, label, live } = JSON.parse(text.trim().split("\\n").at(-1));
const address = url + "/v1/sandboxes?label=" + encodeURIComponent(label);
const headers = key ? { authorization: "Bearer " + key } : {};
for (const pauseMs of live > 0 ? [0, 1000, 5000] : []) {
  await new Promise((done) => setTimeout(done, pauseMs));
  for (let hasMore = true; hasMore; ) {
    const answer = await fetch(address, { method: "DELETE", headers }).catch(() => undefined);
    hasMore = answer?.ok ? (await answer.json()).hasMore : false;
  }
}`;

interface Reaper {
  live: number;
  tell(): void;
}

/** One for each service that this process uses. */
const reapers = new Map<string, Reaper>();

/** Counts a cluster as one that the reaper must delete. Returns the function that takes it off again. */
function keep(url: string, { key = process.env["SANDBAR_API_KEY"] }: SandbarOptions): () => void {
  const name = `${url} ${key ?? ""}`;
  const reaper = reapers.get(name) ?? startReaper(url, key);
  reapers.set(name, reaper);
  reaper.live++;
  reaper.tell();
  let isKept = true;
  return () => {
    if (!isKept) return;
    isKept = false;
    reaper.live--;
    reaper.tell();
  };
}

function startReaper(url: string, key: string | undefined): Reaper {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", reaperProgram], {
    stdio: ["pipe", "ignore", "ignore"],
    // Ctrl+C reaches all processes of a group.
    detached: true,
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  // Without it, clusters of a killed process end when their time is up.
  child.on("error", () => undefined);
  child.stdin.on("error", () => undefined);
  child.unref();
  // A pipe of Node's is a socket, which can be left out of what keeps a process alive.
  if (child.stdin instanceof Socket) child.stdin.unref();
  const reaper: Reaper = {
    live: 0,
    tell: () =>
      void child.stdin.write(`${JSON.stringify({ url, key, label: `${runLabel}=${run}`, live: reaper.live })}\n`),
  };
  return reaper;
}
