// Visitors of others' pages over real objects: the tenant's, which counts them, and their clusters.
import {
  type D1Migration,
  applyD1Migrations,
  createExecutionContext,
  env,
  evictDurableObject,
  runInDurableObject,
  waitOnExecutionContext,
} from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import { embedSession } from "../../../shared/contract/hosted/embed.ts";
import { publishableKey } from "../../../shared/contract/hosted/publishable-key.ts";
import { sign } from "../../../worker/edge/control-api/embed/signed.ts";
import { handle } from "../../../worker/edge/handler.ts";
import { hashOf } from "../../../worker/edge/mac.ts";
import type { Env } from "../../../worker/env.ts";

// The pool's configuration binds these.
const bound = env as unknown as Env & { readonly MIGRATIONS: D1Migration[] };
const tenant = "visited";
const apiKey = "sbk_visitedvisitedvisited";
const origin = "https://course.example.org";

beforeAll(async () => {
  await applyD1Migrations(bound.DB, bound.MIGRATIONS);
  await bound.DB.prepare("INSERT INTO tenants (id, name, created_at_ms) VALUES (?, ?, 0)").bind(tenant, tenant).run();
  await bound.DB.prepare("INSERT INTO api_keys (hash, tenant_id, created_at_ms) VALUES (?, ?, 0)")
    .bind(await hashOf(apiKey), tenant)
    .run();
});

async function post(path: string, body: unknown, key = "") {
  const headers = { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) };
  const context = createExecutionContext();
  const request = new Request(`https://host${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const answer = await handle(request, bound);
  await waitOnExecutionContext(context);
  expect(answer.status, await answer.clone().text()).toBe(201);
  return answer;
}

test("Z12: a visitor's sandbox is remembered by an evicted object, also by one from before visits existed", async () => {
  // The object is there, and as an earlier version has made it.
  await post("/v1/sandboxes", { nodes: 0 }, apiKey);
  const stub = () => bound.TENANTS.getByName(tenant);
  await runInDurableObject(stub(), (_, { storage }) => {
    for (const table of ["visits", "stored_version"]) storage.sql.exec(`DROP TABLE ${table}`);
  });
  await evictDurableObject(stub());
  const body = { name: "course", origins: [origin], templates: ["empty"] };
  const { key } = publishableKey.parse(await (await post("/v1/publishable-keys", body, apiKey)).json());
  const how = { nowMs: Date.now(), forMs: 60_000 };
  const ticket = await sign(bound.SANDBAR_SECRET, "ticket", { key, origin }, how);
  const visitPage = async (visitor?: string) => {
    const answer = await post("/v1/embed/sessions", { ticket, template: "empty", ...(visitor ? { visitor } : {}) });
    return embedSession.parse(await answer.json());
  };
  const first = await visitPage();
  expect(first.isNew).toBe(true);
  const visitRequest = new Request(`https://host/c/${first.sandbox.id}/api/v1/nodes`, {
    headers: { authorization: `Bearer ${first.token}` },
  });
  const context = createExecutionContext();
  const nodes = await handle(visitRequest, bound);
  expect([nodes.status, (await nodes.json<{ items: unknown[] }>()).items.length]).toEqual([200, 1]);
  await waitOnExecutionContext(context);
  await evictDurableObject(stub());
  expect(await visitPage(first.visitor)).toMatchObject({ isNew: false, sandbox: first.sandbox });
});
