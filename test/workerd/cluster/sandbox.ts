// A sandbox in workerd, created as the edge creates it, with helpers for tests.
import { env, runInDurableObject } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { expect } from "vitest";
import type { Deployment } from "../../../shared/k8s/api/apps-v1.ts";
import { tokenIdLength } from "../../../shared/contract/cluster-object.ts";
import type { GivenLimits } from "../../../shared/contract/sandbox-limits.ts";
import type { SandboxSettings } from "../../../shared/contract/sandbox-settings.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { hashOf } from "../../../worker/edge/mac.ts";
import { newSandboxId } from "../../../worker/edge/sandbox-id.ts";
import { adminToken, newUserToken } from "../../../worker/edge/tokens.ts";
import type { Env } from "../../../worker/env.ts";
import { probe } from "./worker.ts";
import { patiently } from "../../patiently.ts";

// The pool's configuration binds these.
export const bound = env as unknown as Env;
const service = (exports as { default: Fetcher }).default;

export interface SandboxOptions {
  readonly nodes?: number;
  readonly ttlMs?: number;
  readonly controllerDelayMs?: number;
  /** In place of the service's own. */
  readonly limits?: GivenLimits;
  readonly manifests?: string;
  readonly settings?: Partial<SandboxSettings>;
  /** The file that it begins with. */
  readonly state?: Uint8Array;
}

export type Sandbox = Awaited<ReturnType<typeof newSandbox>>;

export async function newSandbox(options: SandboxOptions = {}) {
  const { nodes = 3, ttlMs = 3_600_000, controllerDelayMs = 10, limits, state, manifests = "", settings } = options;
  const id = await newSandboxId(bound.SANDBAR_SECRET, { anonymousAccess: false });
  const token = await adminToken(bound.SANDBAR_SECRET, id);
  // A stub breaks with its object: each use gets its own.
  const stub = () => bound.CLUSTERS.getByName(id);
  const objectId = bound.CLUSTERS.idFromName(id).toString();
  const expiresAtMs = Date.now() + ttlMs;
  await stub().initialize({
    settings: {
      admissionPlugins: [],
      anonymousAccess: false,
      oidcIssuers: [],
      jwtAuthenticators: [],
      controllerDelayMs,
      images: "any",
      version: "1.36",
      // Tests count what is there.
      systemPods: false,
      expiresAtMs,
      ...(limits ? { limits } : {}),
      ...settings,
    },
    nodes,
    manifests,
    adminTokenHash: await hashOf(token),
    ...(state ? { state } : {}),
  });

  const send = (path: string, init: RequestInit = {}, shownToken = token) => {
    const headers = new Headers(init.headers);
    const isInProtocol = headers.get("sec-websocket-protocol")?.includes("base64url.bearer.");
    if (!isInProtocol) headers.set("authorization", `Bearer ${shownToken}`);
    if (typeof init.body === "string" && !headers.has("content-type")) headers.set("content-type", "application/json");
    return service.fetch(`https://host/c/${id}${path}`, { ...init, headers });
  };
  /** The answer, which must be a success. */
  const call = async (method: string, path: string, body?: unknown): Promise<KubeObject> => {
    const answer = await send(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const value: unknown = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(value)}`);
    // The API answers with objects.
    return value as KubeObject;
  };
  const alarm = () => runInDurableObject(stub(), (_object, state) => state.storage.getAlarm());
  return {
    id,
    token,
    stub,
    expiresAtMs,
    send,
    call,
    alarm,
    /** A further token of the administrator's group; it ends at a whole second. */
    newToken: async (endsMs: number) => {
      const text = await newUserToken(bound.SANDBAR_SECRET, id, endsMs);
      const hash = await hashOf(text);
      const of = { user: "ada", groups: ["system:masters"], readOnly: false, frameOrigins: [] };
      expect(await stub().addToken({ ...of, hash, expiresAtMs: Math.floor(endsMs / 1000) * 1000 })).toBe("added");
      return { text, id: hash.slice(0, tokenIdLength) };
    },
    /** Nothing is due any more. */
    quiet: (withinMs = 30_000) =>
      patiently(
        async () => {
          const dueMs = await alarm();
          if (dueMs !== expiresAtMs) throw new Error(`due in ${(dueMs ?? Number.NaN) - Date.now()} ms`);
        },
        { timeout: withinMs, interval: 200 },
      ),
    alarmsSet: () => probe().alarmsSet.get(objectId) ?? 0,
    builds: () => probe().builds.get(objectId) ?? 0,
    /** Creates, or replaces, a config map. */
    put: async (
      name: string,
      data: Record<string, string>,
      labels: Record<string, string> = {},
      namespace = "default",
    ) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data };
      const response = await send(`${path}/${name}`);
      await response.body?.cancel();
      return response.ok ? call("PUT", `${path}/${name}`, body) : call("POST", path, body);
    },
    remove: (name: string, namespace = "default") =>
      call("DELETE", `/api/v1/namespaces/${namespace}/configmaps/${name}`),
  };
}

export function deployment(name: string, replicas: number, image = "nginx") {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image }] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec };
}

/** Waits until all replicas of a deployment are up to date and available. */
export async function rolledOut(sandbox: Sandbox, name: string, replicas: number): Promise<void> {
  const path = `/apis/apps/v1/namespaces/default/deployments/${name}`;
  await patiently(
    async () => {
      const { metadata, status } = (await sandbox.call("GET", path)) as Deployment;
      expect(status).toMatchObject({ replicas, updatedReplicas: replicas, availableReplicas: replicas });
      expect(status.observedGeneration).toBe(metadata.generation);
    },
    { timeout: 40_000, interval: 200 },
  );
}
