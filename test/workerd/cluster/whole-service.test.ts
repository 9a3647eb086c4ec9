// The edge with real clusters: a full disk, a long import, and the end of a tunnel.
import { type D1Migration, applyD1Migrations, env } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { errorBody } from "../../../shared/contract/error.ts";
import { sandboxWithToken, type SandboxWithToken } from "../../../shared/contract/sandbox.ts";
import { tunnelPath } from "../../../shared/contract/tunnel.ts";
import { handle } from "../../../worker/edge/handler.ts";
import { hashOf } from "../../../worker/edge/mac.ts";
import type { Env } from "../../../worker/env.ts";
import { patiently } from "../../patiently.ts";

// The pool's configuration binds these.
const bound = env as unknown as Env & { readonly MIGRATIONS: D1Migration[] };
const key = "sbk_adaadaadaadaadaadaada";

beforeAll(async () => {
  await applyD1Migrations(bound.DB, bound.MIGRATIONS);
  // Another file may have added the tenant, because they share the database.
  await bound.DB.prepare("INSERT OR IGNORE INTO tenants (id, name, created_at_ms) VALUES ('ada', 'ada', 0)").run();
  await bound.DB.prepare("INSERT OR IGNORE INTO api_keys (hash, tenant_id, created_at_ms) VALUES (?, 'ada', 0)")
    .bind(await hashOf(key))
    .run();
});

interface Sending {
  readonly body?: string;
  readonly type?: string;
  readonly env?: Env;
}

function send(method: string, path: string, { body, type = "application/json", env: of = bound }: Sending = {}) {
  const headers = { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { "content-type": type }) };
  return handle(new Request(`https://host${path}`, { method, headers, body: body ?? null }), of);
}

function ask(
  { id, token }: SandboxWithToken,
  path: string,
  headers: Record<string, string> = {},
  method: "GET" | "DELETE" = "GET",
) {
  const all = { authorization: `Bearer ${token}`, ...headers };
  return handle(new Request(`https://host/c/${id}${path}`, { method, headers: all }), bound);
}

async function sandboxIn(answer: Response | Promise<Response>): Promise<SandboxWithToken> {
  const response = await answer;
  expect([response.status, response.ok ? "" : await response.clone().text()]).toEqual([201, ""]);
  return sandboxWithToken.parse(await response.json());
}

/** The service on a disk with so many free bytes. */
function withFreeBytes(bytes: number): Env {
  return { ...bound, OUTSIDE: { fetch: async () => new Response(String(bytes)) } as unknown as Fetcher };
}

test("S8: below the reserved free bytes of the disk nothing is created, but listed and deleted; with them it is created", async () => {
  const sandbox = await sandboxIn(send("POST", "/v1/sandboxes", { env: withFreeBytes(limits.reservedDiskBytes) }));
  const full = { env: withFreeBytes(limits.reservedDiskBytes - 1) };
  const refused = await send("POST", "/v1/sandboxes", full);
  expect([refused.status, errorBody.parse(await refused.json()).error.code]).toEqual([507, "storage_full"]);
  expect((await send("GET", "/v1/sandboxes", full)).status).toBe(200);
  expect((await send("DELETE", `/v1/sandboxes/${sandbox.id}`, full)).status).toBe(204);
});

test("F7: an export of more than 3 MB becomes a sandbox with its objects, which can be reset to it", async () => {
  const items = Array.from({ length: 400 }, (_, at) => ({
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: `c${at}`, namespace: "shop" } },
    data: { text: "x".repeat(10_000) },
  }));
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
  const body = JSON.stringify({ apiVersion: "v1", kind: "List", items: [...items, namespace] });
  expect(body.length).toBeGreaterThan(limits.requestBodyBytes);
  const sandbox = await sandboxIn(send("POST", "/v1/sandboxes?nodes=0", { body, type: "application/yaml" }));
  expect(sandbox.notImported).toEqual([]);
  const count = async () => {
    const answer = await ask(sandbox, "/api/v1/namespaces/shop/configmaps?limit=1000");
    return (await answer.json<{ items: { metadata: { name: string } }[] }>()).items.filter(
      ({ metadata: { name } }) => name !== "kube-root-ca.crt",
    ).length;
  };
  expect(await count()).toBe(items.length);
  expect((await ask(sandbox, "/api/v1/namespaces/shop/configmaps/c7", {}, "DELETE")).status).toBe(200);
  expect(await count()).toBe(items.length - 1);
  expect((await send("POST", `/v1/sandboxes/${sandbox.id}/reset`, { body: "{}" })).status).toBe(200);
  expect(await count()).toBe(items.length);
}, 120_000);

test("A10: the client of a tunnel learns at once that its sandbox was deleted", async () => {
  const sandbox = await sandboxIn(send("POST", "/v1/sandboxes", { body: '{"nodes":0}' }));
  const upgrade = { upgrade: "websocket" };
  const { webSocket, status } = await ask(sandbox, `${tunnelPath}?namespace=default&service=a`, upgrade);
  expect(status).toBe(101);
  const closes: unknown[] = [];
  webSocket?.addEventListener("close", ({ code, reason }) => void closes.push([code, reason]));
  webSocket?.accept();
  expect((await send("DELETE", `/v1/sandboxes/${sandbox.id}`)).status).toBe(204);
  await patiently(() => expect(closes).toEqual([[1008, "the sandbox has expired or was deleted"]]));
});
