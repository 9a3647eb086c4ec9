// For tests: a fresh cluster for each, made before it and deleted after it. For Vitest, Jest, and whatever has the same two hooks.
import { type Creating, type CreateSandbox, Sandbar, type SandbarOptions, type SandboxWithToken } from "./index.ts";

export interface Hooks {
  beforeEach(body: () => Promise<void>): unknown;
  afterEach(body: () => Promise<void>): unknown;
}

export interface FreshClusterOptions extends SandbarOptions, Pick<Creating, "wait" | "waitSeconds"> {
  /** With what each begins. Unless it says otherwise it lives ten minutes, should the test be killed, and kubelets take no time. */
  readonly sandbox?: CreateSandbox;
}

export interface FreshCluster extends SandboxWithToken {
  readonly client: Sandbar;
  kubeconfig(): Promise<string>;
  /** A request to its Kubernetes API: as its administrator, and JSON, unless the headers say otherwise. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

const ttlSeconds = 600;

/** Called outside of tests; the function that it returns gives a test its cluster. */
export function freshCluster({ beforeEach, afterEach }: Hooks, options: FreshClusterOptions = {}): () => FreshCluster {
  const client = new Sandbar(options);
  let current: FreshCluster | undefined;
  beforeEach(async () => {
    current = clusterOf(client, await client.createSandbox(beginning(options), options));
  });
  afterEach(async () => {
    const { id } = current ?? {};
    current = undefined;
    if (id !== undefined) await client.deleteSandbox(id);
  });
  return () => {
    if (!current) throw new Error("there is a cluster only while a test runs");
    return current;
  };
}

function beginning({ sandbox = {} }: FreshClusterOptions): CreateSandbox {
  // A snapshot says itself how fast its kubelets are.
  return { ttlSeconds, ...(sandbox.snapshot === undefined ? { kubeletSpeed: "zero" } : {}), ...sandbox };
}

function clusterOf(client: Sandbar, sandbox: SandboxWithToken): FreshCluster {
  const { id, token } = sandbox;
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
  };
}
