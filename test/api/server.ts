// The Kubernetes API of a test cluster without network: handler, registry, controllers and kubelet.
import { must } from "../../shared/base/assert.ts";
import type { Status } from "../../shared/k8s/status.ts";
import type { ObjectMeta } from "../../shared/k8s/api/meta-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { limitsWith } from "../../shared/contract/sandbox-limits.ts";
import { handle } from "../../worker/api/handler.ts";
import { Load } from "../../worker/api/filters/load.ts";
import type { Identity, ApiServer } from "../../worker/api/api-server.ts";
import { newCluster, type TestCluster, type TestClusterOptions } from "../cluster.ts";

export interface Ask {
  /** The body of the request. Objects are sent as JSON; texts and bytes are sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Undefined: the administrator's token. Null: none. */
  readonly token?: string | null;
}

export interface Answer<T = Answered> {
  readonly code: number;
  readonly body: T;
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly headers: Headers;
}

/** The fields of responses that tests read. Other fields are compared as a whole. */
export interface Answered extends KubeObject {
  readonly metadata: ObjectMeta & { readonly continue?: string; readonly remainingItemCount?: number };
  readonly items: readonly Answered[];
  readonly data: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
  readonly message: string;
  readonly columnDefinitions: readonly { readonly name: string }[];
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: Answered }[];
}

export interface TestServer {
  readonly cluster: TestCluster;
  readonly service: ApiServer;
  /** Failed assertions and other errors besides ApiError. */
  readonly bugs: readonly unknown[];
  ask<T = Answered>(method: string, path: string, ask?: Ask): Promise<Answer<T>>;
}

export const adminToken = "admin-token";
export const viewToken = "view-token";
export const strangerToken = "stranger-token";
const turnBudget = 1000;
/** Tests make many requests at one instant of a stepped clock. */
const unhurried = { requestsPerSecond: 1_000_000 };

const identities: Readonly<Record<string, Identity>> = {
  [adminToken]: identity("kubernetes-admin", ["system:masters", "system:authenticated"], false),
  [viewToken]: identity("viewer", ["system:authenticated"], true),
  [strangerToken]: identity("jane", ["system:authenticated"], false),
};

export interface TestServerOptions extends TestClusterOptions {
  /** Replaces parts of the API server. */
  readonly service?: (cluster: TestCluster) => Partial<ApiServer>;
}

export function newServer(options: TestServerOptions = {}): TestServer {
  const cluster = newCluster(options);
  cluster.runUntilQuiet();
  const bugs: unknown[] = [];
  const server: ApiServer = {
    registry: cluster.registry,
    authenticate: (token) => identities[token],
    key: cluster.key,
    at: cluster.at,
    ownReads: cluster.ownReads,
    containers: cluster.containers,
    nowMs: () => cluster.clock.nowMs(),
    load: new Load(() => cluster.clock.nowMs(), limitsWith({ ...unhurried, ...options.limits })),
    turn: (body) => {
      const result = cluster.registry.store.meter.within(body);
      cluster.runtime.drain(turnBudget);
      return result;
    },
    report: (error) => bugs.push(error),
    ask: (call) => Promise.resolve(must(options.answer, "someone who answers")(call)),
    ...options.service?.(cluster),
  };
  return {
    cluster,
    service: server,
    bugs,
    ask: async (method, path, ask = {}) => {
      const response = await handle(server, requestOf(method, path, ask));
      const bytes = new Uint8Array(await response.arrayBuffer());
      const text = new TextDecoder().decode(bytes);
      // A watch returns several documents, one per line.
      const isJson = (response.headers.get("content-type") ?? "").startsWith("application/json");
      const isOne = isJson && text !== "" && !response.headers.has("content-encoding") && !text.includes("}\n{");
      return {
        code: response.status,
        body: isOne ? JSON.parse(text) : undefined,
        text,
        bytes,
        headers: response.headers,
      };
    },
  };
}

export function requestOf(method: string, path: string, { body, headers = {}, token = adminToken }: Ask): Request {
  const isPlain = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  return new Request(`https://test${path}`, {
    method,
    headers: {
      ...(isPlain ? {} : { "content-type": "application/json" }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    // Bytes of this process, never of shared memory.
    ...(body === undefined
      ? {}
      : { body: isPlain ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
  });
}

function identity(name: string, groups: readonly string[], readOnly: boolean): Identity {
  return { user: { name, groups }, readOnly };
}

/** Returns the fields of an error that tests compare. */
export function refusal({ code, text }: Answer) {
  const { reason, message, code: inBody } = JSON.parse(text) as Status;
  return { status: code, code: inBody, reason, message };
}

/** Returns the expected error of a test. */
export function refused(code: number, reason: string, message: string) {
  return { status: code, code, reason, message };
}

export const core = "/api/v1/namespaces/default";
export const apps = "/apis/apps/v1/namespaces/default";

export function configMap(
  name: string,
  data: Record<string, string> = {},
  metadata: Partial<KubeObject["metadata"]> = {},
) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
}

export function deployment(name: string, replicas = 1, image = "nginx") {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image }] } },
    },
  };
}

export function pod(name: string, labels: Record<string, string> = {}) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels },
    spec: { containers: [{ name: "main", image: "nginx" }] },
  };
}
