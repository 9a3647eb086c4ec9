// Clusters for tests: one for each test, deleted when the test ends, independent of tests that run at the same time. If the process is
// interrupted or killed, another process deletes its clusters.
import { spawn } from "node:child_process";
import { Socket } from "node:net";
import type { KubernetesVersion } from "../shared/contract/cluster/kubernetes-version.ts";
import { isRefusal } from "./ask.ts";
import { type CreateSandbox, Sandbar, SandbarError, type SandbarOptions, type SandboxWithToken } from "./index.ts";

export interface ClusterOptions extends SandbarOptions {
  /** See `Creating`. */
  readonly wait?: boolean;
  readonly waitSeconds?: number;
  /** The body of the creation. By default a cluster lives ten minutes and its kubelets have no delays. */
  readonly sandbox?: CreateSandbox;
}

export interface TestCluster extends SandboxWithToken {
  readonly client: Sandbar;
  kubeconfig(): Promise<string>;
  /** Sends a request to the Kubernetes API. By default as its administrator and with JSON. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Deletes the cluster. Calls after a deletion have no effect. */
  remove(): Promise<void>;
}

const ttlSeconds = 600;
/** A label of all clusters of one process, so that they can be deleted together. */
const runLabel = "sandbar-test-run";
const run = crypto.randomUUID();

/** Creates a cluster, which the caller removes. It is removed at the latest when the process ends. */
export async function createCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  const client = new Sandbar(options);
  const release = keep(client.url, options);
  try {
    return clusterOf(client, await client.createSandbox(beginning(options), options), release);
  } catch (error) {
    // After other errors the service may still have created it.
    if (isRefusal(error)) release();
    throw error;
  }
}

/**
 * Calls a function with a cluster of its own, and removes the cluster when the function has returned or thrown. An error of the removal is
 * thrown only if the function has returned.
 */
export async function withCluster<T>(
  options: ClusterOptions,
  body: (cluster: TestCluster) => Promise<T> | T,
): Promise<T> {
  const cluster = await createCluster(options);
  let result: T;
  try {
    result = await body(cluster);
  } catch (error) {
    // A cluster that could not be removed is removed when the process ends.
    await cluster.remove().catch(() => undefined);
    throw error;
  }
  await cluster.remove();
  return result;
}

/** A fixture for `test.extend` of Vitest and Playwright: a cluster for each test that names it. */
export function clusterFixture(options: ClusterOptions = {}) {
  // Both runners read the names of other fixtures from this pattern.
  return async ({}: object, use: (cluster: TestCluster) => Promise<void>): Promise<void> => withCluster(options, use);
}

/** Returns `test` of `node:test`, Jest, Mocha or Bun with a cluster for each test as the first argument of its function. */
export function testWithCluster<A extends unknown[], R>(
  test: (name: string, body: (...testArguments: A) => Promise<void>) => R,
  options: ClusterOptions = {},
): (name: string, body: (cluster: TestCluster, ...testArguments: A) => Promise<void> | void) => R {
  // Jest would treat a function with named parameters as one with a callback.
  return (name, body) =>
    test(name, (...testArguments) => withCluster(options, (cluster) => body(cluster, ...testArguments)));
}

/** Returns the version that a CI job chooses for all tests. The service refuses an unknown one. */
function versionOf({ SANDBAR_KUBERNETES_VERSION: version }: NodeJS.ProcessEnv): Pick<CreateSandbox, "version"> {
  return version ? { version: version as KubernetesVersion } : {};
}

function beginning({ sandbox = {} }: ClusterOptions): CreateSandbox {
  const labels = { ...sandbox.labels, [runLabel]: run };
  // A snapshot and a template have their own speed and version.
  const isDefined = sandbox.snapshot !== undefined || sandbox.template !== undefined;
  return { ttlSeconds, ...(isDefined ? {} : { kubeletSpeed: "zero", ...versionOf(process.env) }), ...sandbox, labels };
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
    remove: () => {
      removal ??= removeCluster(client, id).then(release, (error: unknown) => {
        // The next call tries again, and so does the other process.
        removal = undefined;
        throw error;
      });
      return removal;
    },
  };
}

/** Deletes a cluster. If the service no longer has it, it counts as deleted. */
async function removeCluster(client: Sandbar, id: string): Promise<void> {
  try {
    await client.deleteSandbox(id);
  } catch (error) {
    if (!(error instanceof SandbarError && error.status === 404)) throw error;
  }
}

/**
 * Deletes the clusters of this process if it ends before they are deleted. It reads lines of JSON until the pipe closes, which also happens
 * if this process is killed. A creation that was in progress may end later, so it lists the clusters again after a while.
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

/** A process for each service that this process uses. */
const reapers = new Map<string, Reaper>();

/** Registers a cluster that the other process must delete. Returns the function that unregisters it. */
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
  // If the process cannot start, clusters of a killed process end when they expire.
  child.on("error", () => undefined);
  child.stdin.on("error", () => undefined);
  child.unref();
  // A pipe of Node is a socket, which can be excluded from the handles that keep a process alive.
  if (child.stdin instanceof Socket) child.stdin.unref();
  const reaper: Reaper = {
    live: 0,
    tell: () =>
      void child.stdin.write(`${JSON.stringify({ url, key, label: `${runLabel}=${run}`, live: reaper.live })}\n`),
  };
  return reaper;
}
