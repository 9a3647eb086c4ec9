// Objects whose stored data this version cannot use: they refuse, keep what they have, and can be deleted.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { writeVersion } from "../../../worker/store/versions.ts";
import { durableSql } from "../../../worker/cluster/do-sql.ts";
import { migrations } from "../../../worker/store/tables.ts";
import { tenantMigrations } from "../../../worker/tenant/tables.ts";
import { bound, deployment, newSandbox, type Sandbox } from "./sandbox.ts";

const unlimited = { liveSandboxes: null, creationsPerHour: null };
const newer = migrations.length + 1;

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

type Stub = ReturnType<Sandbox["stub"]> | ReturnType<typeof bound.TENANTS.getByName>;

function contentOf(stub: Stub): Promise<unknown> {
  return runInDurableObject(stub, (_, { storage }) => {
    const all = (query: string) => storage.sql.exec<Record<string, string>>(query).toArray();
    const schema = all("SELECT type, name, sql FROM sqlite_master WHERE substr(name, 1, 3) <> '_cf' ORDER BY name");
    const tables = schema.filter(({ type }) => type === "table");
    return [schema, tables.map(({ name }) => all(`SELECT * FROM "${name}"`))];
  });
}

/** Changes an object's stored data, and lets the platform construct it again. */
async function changed(stub: () => Stub, change: (storage: DurableObjectStorage) => void): Promise<void> {
  await runInDurableObject(stub(), (_, { storage }) => change(storage));
  await evictDurableObject(stub());
}

async function statusOf(sandbox: Sandbox): Promise<unknown> {
  const answer = await sandbox.send("/api/v1/namespaces/default/configmaps");
  return [answer.status, await answer.json()];
}

test("S2: a cluster of a newer version is changed neither by requests nor by its alarm, even after its expiry", async () => {
  const sandbox = await newSandbox();
  await sandbox.call("POST", "/apis/apps/v1/namespaces/default/deployments", deployment("web", 1));
  await changed(sandbox.stub, (storage) => {
    writeVersion(durableSql(storage), newer);
    storage.sql.exec("UPDATE meta SET value = json_set(value, '$.expiresAtMs', 1) WHERE key = 'settings'");
  });
  const before = await contentOf(sandbox.stub());
  const message = expect.stringContaining(
    `it has version ${newer}, and this service reads versions up to ${newer - 1}`,
  );
  const status = { kind: "Status", status: "Failure", reason: "ServiceUnavailable", code: 503, message };
  expect(await statusOf(sandbox)).toEqual([503, expect.objectContaining(status)]);
  await runInDurableObject(sandbox.stub(), (_, { storage }) => storage.setAlarm(Date.now() + 60_000));
  expect(await runDurableObjectAlarm(sandbox.stub())).toBe(true);
  // It comes again for the version that can open the cluster.
  expect(await sandbox.alarm()).toBeGreaterThan(Date.now());
  await runInDurableObject(sandbox.stub(), async (object) => {
    const refused = /newer version/;
    const token = { hash: "a", user: "ada", groups: [], readOnly: true, expiresAtMs: 9e15, frameOrigins: [] };
    await expect(object.addToken(token)).rejects.toThrow(refused);
    await expect(object.setExpiry(9e15)).rejects.toThrow(refused);
    await expect(object.restoreState({ revision: 1 })).rejects.toThrow(refused);
  });
  expect(await contentOf(sandbox.stub())).toEqual(before);
  await sandbox.stub().destroy();
  expect(await statusOf(sandbox)).toEqual([410, expect.objectContaining({ reason: "Gone" })]);
});

test("S2: a cluster with an unreadable stored value answers with a Status, keeps everything else and can be deleted", async () => {
  const sandbox = await newSandbox();
  await changed(sandbox.stub, ({ sql }) => sql.exec("UPDATE meta SET value = '{' WHERE key = 'settings'"));
  const before = await contentOf(sandbox.stub());
  const status = { kind: "Status", reason: "InternalError", code: 500 };
  expect(await statusOf(sandbox)).toEqual([500, expect.objectContaining(status)]);
  await runInDurableObject(sandbox.stub(), (_, { storage }) => storage.setAlarm(Date.now() + 60_000));
  expect(await runDurableObjectAlarm(sandbox.stub())).toBe(true);
  expect(await contentOf(sandbox.stub())).toEqual(before);
  await sandbox.stub().destroy();
  expect(await statusOf(sandbox)).toEqual([410, expect.objectContaining({ reason: "Gone" })]);
});

test("S2: a tenant's object of a newer version counts and sends nothing until the newer version runs again", async () => {
  const stub = () => bound.TENANTS.getByName("a tenant of a newer version");
  await stub().addWebhook({ url: "https://127.0.0.1:1/hook", events: ["sandbox.expired"] }, null);
  const sandbox = { id: "a", name: "a", createdAtMs: 1, expiresAtMs: Date.now() + 100 };
  await stub().admit(sandbox, unlimited);
  await changed(stub, (storage) => writeVersion(durableSql(storage), tenantMigrations.length + 1));
  const before = await contentOf(stub());
  await runInDurableObject(stub(), (_, { storage }) => storage.setAlarm(Date.now() + 60_000));
  expect(await runDurableObjectAlarm(stub())).toBe(true);
  await runInDurableObject(stub(), async (object) => {
    await expect(object.admit(sandbox, unlimited)).rejects.toThrow(/newer version/);
    await expect(object.listWebhooks()).rejects.toThrow(/newer version/);
    // An event that the object cannot queue is an error for its sender, not lost.
    await expect(object.recordRotation("a")).rejects.toThrow(/newer version/);
  });
  expect(await contentOf(stub())).toEqual(before);
  await changed(stub, (storage) => writeVersion(durableSql(storage), tenantMigrations.length));
  expect((await stub().listWebhooks()).length).toBe(1);
});
