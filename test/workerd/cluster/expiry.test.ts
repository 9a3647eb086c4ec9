// The end of a sandbox, and ids that are none.
import {
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
  applyD1Migrations,
  type D1Migration,
  env,
} from "cloudflare:test";
import { beforeAll, expect, test, vi } from "vitest";
import { bound, newSandbox } from "./sandbox.ts";
import { openWatch } from "./watch-reader.ts";
import { probe } from "./worker.ts";

const tablesOf = (stub: DurableObjectStub) =>
  runInDurableObject(stub, (_, state) =>
    state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
  );

test("A3: an expired sandbox answers 410, ends its watches, and its own alarm deletes its storage", async () => {
  const sandbox = await newSandbox({ ttlMs: 2500 });
  const watch = await openWatch(sandbox, "/api/v1/configmaps?watch=1");
  await vi.waitFor(async () => expect(await tablesOf(sandbox.stub())).toEqual([]), { timeout: 10_000, interval: 200 });
  expect(Date.now()).toBeGreaterThanOrEqual(sandbox.expiresAtMs);
  expect(await sandbox.alarm()).toBeNull();
  expect((await watch.rest()).every((event) => event.type === "ADDED")).toBe(true);
  const answer = await sandbox.send("/api/v1/namespaces");
  expect([answer.status, await answer.json()]).toMatchObject([410, { kind: "Status", reason: "Gone", code: 410 }]);
});

test("A3: an expired sandbox answers 410 immediately, also before the alarm has run", async () => {
  const sandbox = await newSandbox();
  await runInDurableObject(sandbox.stub(), (_, state) => {
    state.storage.sql.exec("UPDATE meta SET value = json_set(value, '$.expiresAtMs', 1) WHERE key = 'settings'");
  });
  await evictDurableObject(sandbox.stub());
  expect((await sandbox.send("/api/v1/namespaces")).status).toBe(410);
});

test("I4: the expiry can be moved earlier and later, with its alarm", async () => {
  const sandbox = await newSandbox();
  const later = sandbox.expiresAtMs + 3_600_000;
  expect(await sandbox.stub().setExpiry(later)).toBe(true);
  await evictDurableObject(sandbox.stub());
  expect((await sandbox.stub().origin())?.settings.expiresAtMs).toBe(later);
  const soon = Date.now() + 1500;
  expect(await sandbox.stub().setExpiry(soon)).toBe(true);
  await vi.waitFor(async () => expect(await tablesOf(sandbox.stub())).toEqual([]), { timeout: 10_000, interval: 200 });
  expect(Date.now()).toBeGreaterThanOrEqual(soon);
  expect((await sandbox.send("/api/v1/namespaces")).status).toBe(410);
  expect(await sandbox.stub().setExpiry(later)).toBe(false);
  expect(await sandbox.stub().notReady(0)).toBeUndefined();
  expect(await tablesOf(sandbox.stub())).toEqual([]);
});

test("I6: a sandbox returns its settings, and can be restored to the state of another with the same settings", async () => {
  const manifests = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: early }\n";
  const sandbox = await newSandbox({ manifests, settings: { controllers: "off", kubeletSpeed: 10 } });
  await sandbox.call("DELETE", "/api/v1/namespaces/default/configmaps/early");
  await sandbox.call("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "late" } });
  const origin = await sandbox.stub().origin();
  expect(origin).toMatchObject({ manifests, settings: { controllers: "off", kubeletSpeed: 10 } });
  const otherSandbox = await newSandbox({ manifests });
  const saved = await otherSandbox.stub().saveState({});
  if (!saved.ok) throw new Error(saved.message);
  expect(await sandbox.stub().restoreState({ file: saved.file })).toMatchObject({ ok: true });
  const names = async () => {
    const list: unknown = await (await sandbox.send("/api/v1/namespaces/default/configmaps")).json();
    return (list as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
  };
  expect(await names()).toEqual(["early", "kube-root-ca.crt"]);
  expect((await sandbox.stub().origin())?.manifests).toBe(manifests);
});

test("I8: an unknown controller is refused, and no cluster is created", async () => {
  const sandbox = await newSandbox({ settings: { controllers: ["kubelett"] } });
  expect(await tablesOf(sandbox.stub())).toEqual([]);
});

test("A3: a request to a deleted sandbox creates neither tables nor an alarm", async () => {
  const sandbox = await newSandbox();
  await sandbox.stub().destroy();
  const answer = await sandbox.send("/api/v1/namespaces/default/configmaps", { method: "POST", body: "{}" });
  expect(answer.status).toBe(410);
  expect(await runDurableObjectAlarm(sandbox.stub())).toBe(false);
  expect(await tablesOf(sandbox.stub())).toEqual([]);
});

beforeAll(async () => {
  // The bindings are those of vitest.config.ts.
  const { DB, MIGRATIONS } = env as unknown as { readonly DB: D1Database; readonly MIGRATIONS: D1Migration[] };
  await applyD1Migrations(DB, MIGRATIONS);
});

test("A2: an invented id, or another sandbox's token, creates no object", async () => {
  const sandbox = await newSandbox();
  const otherSandbox = await newSandbox();
  const before = [...probe().builds.values()].reduce((sum, buildCount) => sum + buildCount, 0);
  const invented = `${sandbox.id.slice(0, -1)}${sandbox.id.endsWith("a") ? "b" : "a"}`;
  const paths = [
    `/c/${invented}/api/v1/pods`,
    `/c/${invented}/api/v1/pods?watch=1`,
    "/c/x/version",
    `/c/${otherSandbox.id}/api/v1/pods`,
  ];
  const statuses = [];
  for (const path of paths) {
    // The sandbox's own token, at other addresses.
    const { status } = await sandbox.send(`/../..${path}`);
    statuses.push(status);
  }
  expect(statuses).toEqual([404, 404, 404, 401]);
  expect([...probe().builds.values()].reduce((sum, buildCount) => sum + buildCount, 0)).toBe(before);
});

test("A2: the constructor of an object without a sandbox writes nothing", async () => {
  const stub = bound.CLUSTERS.get(bound.CLUSTERS.newUniqueId());
  expect((await stub.fetch("https://host/api/v1/pods")).status).toBe(410);
  expect(await tablesOf(stub)).toEqual([]);
  expect(await runInDurableObject(stub, (_, state) => state.storage.getAlarm())).toBeNull();
});
