// The audit log of control actions: contents, tenants and retention.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { auditList } from "../../shared/contract/control-audit.ts";
import { errorBody } from "../../shared/contract/error.ts";
import { networkOf } from "../../worker/edge/network.ts";
import { addPerson } from "./people.ts";
import { keys, newService, startMs } from "./service.ts";

type Harness = Awaited<ReturnType<typeof newService>>;

async function entriesOf({ send }: Harness, query = "", key = keys.ada) {
  return auditList.parse(await (await send("GET", `/v1/audit${query}`, { key })).json());
}

describe("the audit log", () => {
  test("O7: records who did what to which resource, when, from which network, and the result", async () => {
    const harness = await newService();
    const { send, settled, database, time } = harness;
    const headers = { "cf-connecting-ip": "2001:db8:1:2:3:4:5:6" };
    const { id } = await (await send("POST", "/v1/sandboxes", { headers })).json<{ id: string }>();
    time.nowMs += 1000;
    const mia = await addPerson(database, "mia", { tenant: "ada", role: "member", nowMs: time.nowMs });
    await send("POST", `/v1/sandboxes/${id}/tokens`, { body: { user: "jo" }, cookie: mia.cookie });
    await send("DELETE", `/v1/sandboxes/${id}/tokens/none`, { cookie: mia.cookie });
    await send("DELETE", `/v1/sandboxes/${id}`);
    await settled();
    const { entries } = await entriesOf(harness);
    const operator = { kind: "key", name: "operator" };
    const person = { kind: "person", id: mia.id, name: "mia" };
    const later = { at: new Date(startMs + 1000).toISOString(), target: id, address: "" };
    expect(entries).toMatchObject([
      { ...later, action: "deleteSandbox", by: operator, outcome: "done" },
      { ...later, action: "revokeToken", by: person, outcome: "failed", code: "not_found" },
      { ...later, action: "createToken", by: person, outcome: "done" },
      {
        action: "createSandbox",
        by: operator,
        outcome: "done",
        target: id,
        at: new Date(startMs).toISOString(),
        address: "2001:db8:1::/48",
      },
    ]);
  });

  test("O7: an action whose entry cannot be written is not done, and D1 failures write neither", async () => {
    const harness = await newService();
    const { send, database, clusters } = harness;
    const { id } = await (await send("POST", "/v1/sandboxes")).json<{ id: string }>();
    database.exec("ALTER TABLE control_audit RENAME TO away");
    for (const [method, path, body] of [
      ["PATCH", "", { name: "else" }],
      ["POST", "/tokens", {}],
      ["DELETE", "", undefined],
    ] as const) {
      expect((await send(method, `/v1/sandboxes/${id}${path}`, { body })).status).toBe(500);
    }
    expect((await send("POST", "/v1/keys", { body: { name: "k", scopes: ["sandboxes:read"] } })).status).toBe(500);
    database.exec("ALTER TABLE away RENAME TO control_audit");
    expect(clusters.get(id)).toMatchObject({ tokens: [], destroyed: false });
    expect(await (await send("GET", `/v1/sandboxes/${id}`)).json()).toMatchObject({
      name: `sandbox-${id.slice(0, 6)}`,
    });
    expect(database.prepare("SELECT count(*) AS n FROM api_keys").get()).toEqual({ n: 2 });
  });

  test("O7: a refused request has no entry, and an interrupted one stays begun", async () => {
    const harness = await newService();
    const { send, service } = harness;
    const { id } = await (await send("POST", "/v1/sandboxes")).json<{ id: string }>();
    await send("POST", "/v1/sandboxes", { body: { nodes: -1 } });
    await send("DELETE", `/v1/sandboxes/${"a".repeat(26)}`);
    service.later = () => undefined;
    await send("POST", `/v1/sandboxes/${id}/reset`);
    expect((await entriesOf(harness)).entries.map(({ action, outcome }) => [action, outcome])).toEqual([
      ["resetSandbox", "begun"],
      ["createSandbox", "done"],
    ]);
  });

  test("O7: a repeated request with the same idempotency key has one entry", async () => {
    const harness = await newService();
    const headers = { "idempotency-key": "k" };
    for (let at = 0; at < 3; at++) await harness.send("POST", "/v1/sandboxes", { headers });
    expect((await entriesOf(harness)).entries).toHaveLength(1);
  });

  test("O7: has pages from the newest to the oldest without gaps, and each tenant sees its own entries", async () => {
    const harness = await newService();
    for (let at = 0; at < 5; at++) await harness.send("POST", "/v1/sandboxes", { body: { name: `s${at}` } });
    await harness.send("POST", "/v1/sandboxes", { key: keys.bob });
    const targets: string[] = [];
    let query = "?limit=2";
    for (let page = 0; page < 3; page++) {
      const { entries, nextCursor } = await entriesOf(harness, query);
      targets.push(...entries.map(({ target }) => target));
      query = nextCursor ? `?limit=2&cursor=${nextCursor}` : "end";
    }
    expect([query, targets.length, new Set(targets).size]).toEqual(["end", 5, 5]);
    expect((await entriesOf(harness, "", keys.bob)).entries).toHaveLength(1);
    for (const cursor of ["", "%20", "-1", "x".repeat(10)]) {
      const refused = await harness.send("GET", `/v1/audit?cursor=${cursor}`);
      expect([refused.status, errorBody.parse(await refused.json()).error.field]).toEqual([400, "cursor"]);
    }
  });

  test("O7: is bounded in entries, keeping the newest, and in age", async () => {
    const harness = await newService();
    const { database, time, service } = harness;
    const insert = database.prepare(
      "INSERT INTO control_audit VALUES ('ada', ?, ?, 'key', '', '', 'a', 't', 'done', '', '', '', '')",
    );
    for (let seq = 1; seq <= limits.controlAuditEntries; seq++) insert.run(seq, startMs);
    await harness.send("POST", "/v1/sandboxes");
    await harness.send("POST", "/v1/sandboxes");
    const retained = database
      .prepare("SELECT count(*) AS n, min(seq) AS first, max(seq) AS last FROM control_audit")
      .get();
    expect(retained).toEqual({ n: limits.controlAuditEntries, first: 3, last: limits.controlAuditEntries + 2 });
    time.nowMs += limits.controlAuditMs;
    expect((await entriesOf(harness)).entries).toEqual([]);
    const forgotten = await service.audit.forgetOld(time.nowMs + 1, limits.controlAuditPage);
    expect(forgotten).toBe(limits.controlAuditPage);
  });
});

test.each([
  ["203.0.113.77", "203.0.113.0/24"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
  ["::ffff:203.0.113.77", "203.0.113.0/24"],
  ["", ""],
  ["nonsense", ""],
])("O7: the address %j is recorded as the network %j", (address, network) => {
  expect(networkOf(new Headers({ "cf-connecting-ip": address }))).toBe(network);
});
