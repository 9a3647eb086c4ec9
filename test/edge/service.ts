// The control API over a directory in memory and clusters that only remember what they were told.
import type { ClusterRpc, InitializeOptions, NewToken } from "../../shared/contract/cluster-object.ts";
import { controlApi } from "../../worker/edge/control-api/control-api.ts";
import { hashOf } from "../../worker/edge/mac.ts";
import type { ControlApiServer } from "../../worker/edge/control-api/service.ts";
import { memoryDirectory } from "./memory-directory.ts";

export const secret = "a secret of a test, 32 characters or more";
export const startMs = Date.UTC(2026, 0, 1);

export interface FakeCluster extends ClusterRpc {
  made?: InitializeOptions;
  readonly tokens: NewToken[];
  destroyed: boolean;
}

export async function newService() {
  const { directory, addTenant } = memoryDirectory();
  const clusters = new Map<string, FakeCluster>();
  const time = { nowMs: startMs };
  const errors: unknown[] = [];
  const service: { -readonly [K in keyof ControlApiServer]: ControlApiServer[K] } = {
    directory,
    secret,
    server: "https://127.0.0.1:8443",
    console: "http://localhost:8787",
    ca: "the authority",
    cluster: (id) => clusters.get(id) ?? fakeCluster(clusters, id),
    nowMs: () => time.nowMs,
    report: (error) => errors.push(error),
  };
  addTenant("ada", await hashOf(keys.ada));
  addTenant("bob", await hashOf(keys.bob));
  const send = (method: string, path: string, options: SendOptions = {}) => {
    const { key = keys.ada, body, headers } = options;
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const type: Record<string, string> = text === undefined ? {} : { "content-type": "application/json" };
    const request = new Request(`http://localhost:8787${path}`, {
      method,
      headers: { ...type, ...(key ? { authorization: `Bearer ${key}` } : {}), ...headers },
      body: text ?? null,
    });
    return controlApi.fetch(request, { service });
  };
  return { service, clusters, time, errors, send };
}

export interface SendOptions {
  /** Empty: no key. */
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export const keys = { ada: "sbk_adaadaadaadaadaadaada", bob: "sbk_bobbobbobbobbobbobbob" };

function fakeCluster(clusters: Map<string, FakeCluster>, id: string): FakeCluster {
  const cluster: FakeCluster = {
    tokens: [],
    destroyed: false,
    initialize: async (options) => {
      cluster.made = options;
      if (options.manifests !== "bad") return { ok: true };
      return { ok: false, code: "Invalid", message: "no such kind", field: "manifests" };
    },
    addToken: async (token) => {
      cluster.tokens.push(token);
      return cluster.tokens.length <= 3 ? "added" : "full";
    },
    listTokens: async () => cluster.tokens.map(({ hash, ...token }) => ({ ...token, id: hash.slice(0, 20) })),
    removeToken: async (id) => {
      const at = cluster.tokens.findIndex(({ hash }) => hash.startsWith(id));
      return at >= 0 && cluster.tokens.splice(at, 1).length === 1;
    },
    listAuditEvents: async () => [],
    destroy: async () => {
      cluster.destroyed = true;
    },
  };
  clusters.set(id, cluster);
  return cluster;
}
