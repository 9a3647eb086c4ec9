// Deletion of people, usage of a plan's limits, and the cache of plans.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { auditList } from "../../shared/contract/control-audit.ts";
import { errorBody } from "../../shared/contract/error.ts";
import { standing } from "../../shared/contract/hosted/plan.ts";
import { addPerson, storedRows } from "./people.ts";
import { newService, startMs } from "./service.ts";

async function newWorld() {
  const harness = await newService();
  const { database } = harness;
  const owner = await addPerson(database, "mia", { tenant: "ada", role: "owner", nowMs: startMs });
  database.prepare("INSERT INTO members VALUES ('bob', ?, 'viewer', 0)").run(owner.id);
  database.prepare("INSERT INTO passkeys VALUES ('pk', ?, 'mia', '', 0, '[]', 0, NULL, 0)").run(owner.id);
  return { ...harness, owner };
}

test("O10: an organisation's last owner cannot be deleted, and nothing changes", async () => {
  const { send, owner, database, settled } = await newWorld();
  const { cookie } = owner;
  await send("POST", "/v1/sandboxes", { cookie, headers: { "cf-connecting-ip": "192.0.2.7" } });
  await send("POST", "/v1/keys", { cookie, body: { name: "k", scopes: ["audit:read"] } });
  await settled();
  const before = storedRows(database);
  const answer = await send("DELETE", "/v1/me", { cookie });
  const { error } = errorBody.parse(await answer.json());
  expect([answer.status, error.code]).toEqual([409, "last_owner"]);
  expect(error.message).toBe("make somebody else an owner, or delete the organisation: ada would have no owner");
  expect(storedRows(database)).toEqual(before);
});

test("O10: a deleted person is removed from every table, and from the audit log's names and networks", async () => {
  const { send, owner, database, settled } = await newWorld();
  const { cookie, id } = owner;
  await addPerson(database, "noa", { tenant: "ada", role: "owner", nowMs: startMs });
  const headers = { "cf-connecting-ip": "192.0.2.7" };
  expect((await send("POST", "/v1/sandboxes", { cookie, headers })).status).toBe(201);
  const key = await (
    await send("POST", "/v1/keys", { cookie, headers, body: { name: "k", scopes: ["audit:read"] } })
  ).json<{ key: string }>();
  await settled();
  expect(storedRows(database).join("\n")).toContain("192.0.2.0");

  const gone = await send("DELETE", "/v1/me", { cookie, headers });
  expect([gone.status, gone.headers.get("set-cookie")]).toEqual([204, expect.stringContaining("sandbar-session=;")]);
  await settled();
  const rows = storedRows(database).filter((row) => row.includes(id) || row.includes('"mia"'));
  expect(rows.every((row) => row.startsWith("control_audit "))).toBe(true);
  expect(rows.join("\n")).not.toMatch(/"mia"|192\.0\.2\.0/);
  expect((await send("GET", "/v1/sandboxes", { cookie })).status).toBe(401);
  expect((await send("GET", "/v1/audit", { key: key.key })).status).toBe(401);

  // Both organisations are told of it.
  const { entries } = auditList.parse(await (await send("GET", "/v1/audit")).json());
  const by = { kind: "person", id, name: "" };
  expect(entries[0]).toMatchObject({ action: "deleteMe", target: id, outcome: "done", by, address: "" });
  expect(entries.map(({ action }) => action)).toEqual(["deleteMe", "createKey", "createSandbox"]);
  expect(database.prepare("SELECT action FROM control_audit WHERE tenant_id = 'bob'").all()).toEqual([
    { action: "deleteMe" },
  ]);
});

test("O10: if the audit entry cannot be written, no person is deleted", async () => {
  const { send, owner, database, errors } = await newWorld();
  await addPerson(database, "noa", { tenant: "ada", role: "owner", nowMs: startMs });
  database.exec("CREATE TRIGGER full BEFORE INSERT ON control_audit BEGIN SELECT RAISE(ABORT, 'no'); END");
  const before = storedRows(database);
  expect((await send("DELETE", "/v1/me", { cookie: owner.cookie })).status).toBe(500);
  expect(storedRows(database)).toEqual(before);
  expect(errors).toHaveLength(1);
});

test("J15: limits are listed with their usage, including each sandbox's limits", async () => {
  const { send, service } = await newWorld();
  await service.plans.set("ada", { plan: "free", overrides: { nodes: 4, templates: null } });
  await send("POST", "/v1/sandboxes");
  await send("POST", "/v1/templates", { body: { name: "mine" } });
  await send("POST", "/v1/webhooks", { body: { url: "https://hooks.example.com/a" } });
  const limitsStanding = standing.parse(await (await send("GET", "/v1/limits")).json());
  expect(limitsStanding.plan).toBe("free");
  expect(limitsStanding.limits).toMatchObject({ nodes: 4, templates: null, liveSandboxes: 10, objects: 5_000 });
  expect(limitsStanding.used).toMatchObject({ liveSandboxes: 1, creationsPerHour: 1, templates: 1, webhooks: 1 });
  await service.plans.set("ada", { plan: "unmetered", overrides: {} });
  const unmetered = standing.parse(await (await send("GET", "/v1/limits")).json());
  expect(unmetered.limits).toMatchObject({ nodes: null, objects: limits.sandbox.objects });
});

test("J16: a plan is read from D1 once in an interval, and another isolate's change applies after it", async () => {
  const { send, database, time } = await newWorld();
  expect((await send("GET", "/v1/sandboxes")).status).toBe(200);
  // Written by another isolate.
  database.exec("INSERT INTO tenant_plans (tenant_id, suspended) VALUES ('ada', 'no')");
  expect((await send("GET", "/v1/sandboxes")).status).toBe(200);
  time.nowMs += limits.rememberedPlanMs;
  expect((await send("GET", "/v1/sandboxes")).status).toBe(403);
});
