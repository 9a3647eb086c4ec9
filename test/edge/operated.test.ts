// Tests the operator's creations, imports and deletions, the usage of all tenants, and the limits of each person.
import { describe, expect, test } from "vitest";
import { identityLimits } from "../../shared/base/request-limits.ts";
import { createdTenant, importedTenants, operatorsAuditList } from "../../shared/contract/hosted/admin.ts";
import { errorBody } from "../../shared/contract/error.ts";
import { reconcileTenants } from "../../worker/edge/control-api/tenancy/reconcile.ts";
import { addPerson, storedRows } from "./people.ts";
import { keys, newService } from "./service.ts";

type Harness = Awaited<ReturnType<typeof newService>>;

function operating({ send }: Harness) {
  return (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    send(method, `/v1/admin${path}`, { key: keys.operator, headers, ...(body === undefined ? {} : { body }) });
}

async function errorOf(answer: Response) {
  return { status: answer.status, ...errorBody.parse(await answer.json()).error };
}

describe("Y8: a tenant of the operator", () => {
  test("has a plan, limits, and a key that works at once, and both audit logs have it", async () => {
    const harness = await newService();
    const ask = operating(harness);
    const body = { id: "acme", name: "Acme", plan: "free", overrides: { nodes: 7 }, key: true };
    const created = createdTenant.parse(await (await ask("POST", "/tenants", body)).json());
    expect(created).toMatchObject({ id: "acme", name: "Acme", plan: "free", overrides: { nodes: 7 } });
    const { key = "" } = created;
    expect(await (await harness.send("GET", "/v1/limits", { key })).json()).toMatchObject({ limits: { nodes: 7 } });
    const { entries } = operatorsAuditList.parse(await (await ask("GET", "/audit")).json());
    expect(entries.map(({ tenant, action }) => [tenant, action])).toContainEqual(["acme", "createOperatedTenant"]);
    expect(await errorOf(await ask("POST", "/tenants", { id: "acme" }))).toMatchObject({
      status: 409,
      code: "tenant_exists",
      field: "id",
    });
    expect((await ask("GET", "/tenants/acme")).status).toBe(200);
  });

  test.each([{ id: "A" }, { id: "" }, { id: "a", plan: "gold" }, { id: "a", overrides: { nodes: -1 } }, {}])(
    "is not created of %j",
    async (body) => {
      const harness = await newService();
      const before = storedRows(harness.database);
      expect((await operating(harness)("POST", "/tenants", body)).status).toBe(400);
      expect(storedRows(harness.database)).toEqual(before);
    },
  );

  test("is deleted with its keys and sandboxes", async () => {
    const harness = await newService();
    const ask = operating(harness);
    const { id } = await (await harness.send("POST", "/v1/sandboxes")).json<{ id: string }>();
    expect((await ask("DELETE", "/tenants/ada")).status).toBe(204);
    await harness.settled();
    expect((await harness.send("GET", "/v1/sandboxes")).status).toBe(401);
    expect(harness.clusters.get(id)?.destroyed).toBe(true);
    expect((await ask("DELETE", "/tenants/ada")).status).toBe(404);
    expect((await ask("DELETE", "/tenants/nobody")).status).toBe(404);
  });
});

test("Y8: a sandbox of any tenant is deleted by the operator, and the tenant's audit log says so", async () => {
  const harness = await newService();
  const ask = operating(harness);
  const { id } = await (await harness.send("POST", "/v1/sandboxes")).json<{ id: string }>();
  expect((await ask("DELETE", `/sandboxes/${id}`)).status).toBe(204);
  await harness.settled();
  expect([harness.clusters.get(id)?.destroyed, (await harness.send("GET", `/v1/sandboxes/${id}`)).status]).toEqual([
    true,
    404,
  ]);
  expect(await (await harness.send("GET", "/v1/audit")).json()).toMatchObject({
    entries: [{ by: { kind: "operator" }, action: "deleteAnySandbox", target: id }, { action: "createSandbox" }],
  });
  expect((await ask("DELETE", `/sandboxes/${id}`)).status).toBe(404);
  expect((await ask("DELETE", "/sandboxes/invented")).status).toBe(404);
});

describe("Y8: an import", () => {
  const acme = {
    id: "acme",
    plan: "team",
    members: [{ email: "a@example.org", role: "owner" }, { email: "b@example.org" }],
    sandboxes: [
      { name: "first", nodes: 1 },
      { name: "bad", manifests: "bad" },
      { name: "last", labels: { team: "x" } },
    ],
  };

  test("creates tenants, invitations and sandboxes, and reports each", async () => {
    const harness = await newService();
    const ask = operating(harness);
    const answer = await ask("POST", "/import", { tenants: [acme, { id: "ada" }] });
    const { tenants } = importedTenants.parse(await answer.json());
    expect(tenants).toMatchObject([
      {
        id: "acme",
        outcome: "created",
        members: [{ outcome: "created" }, { outcome: "created" }],
        sandboxes: [
          { name: "first", outcome: "created" },
          { name: "bad", outcome: "failed", error: { code: "invalid_manifests" } },
          { name: "last", outcome: "created" },
        ],
      },
      { id: "ada", outcome: "exists" },
    ]);
    const code = tenants[0]?.members[0]?.url?.split("/").at(-1) ?? "";
    const joining = { key: "", headers: { "sec-fetch-site": "same-origin" }, body: { invitation: code, name: "A" } };
    expect((await harness.send("POST", "/v1/join/options", joining)).status).toBe(200);
    const { sandboxes } = await (await ask("GET", "/tenants/acme/sandboxes")).json<{ sandboxes: { name: string }[] }>();
    expect(sandboxes.map(({ name }) => name).sort()).toEqual(["first", "last"]);
    expect(harness.errors).toEqual([]);
  });

  test("can be repeated: what exists is kept", async () => {
    const harness = await newService();
    const ask = operating(harness);
    const good = { ...acme, sandboxes: [{ name: "first" }] };
    await ask("POST", "/import", { tenants: [good] });
    const before = storedRows(harness.database).filter((row) => !row.startsWith("control_audit"));
    const { tenants } = importedTenants.parse(await (await ask("POST", "/import", { tenants: [good] })).json());
    expect(tenants).toMatchObject([
      {
        outcome: "exists",
        members: [{ outcome: "exists" }, { outcome: "exists" }],
        sandboxes: [{ outcome: "exists" }],
      },
    ]);
    expect(storedRows(harness.database).filter((row) => !row.startsWith("control_audit"))).toEqual(before);
  });

  test("can be repeated after a member has joined, who is not invited again", async () => {
    const harness = await newService();
    const ask = operating(harness);
    const good = { ...acme, sandboxes: [] };
    await ask("POST", "/import", { tenants: [good] });
    harness.database.exec("UPDATE invitations SET used_at_ms = created_at_ms + 1");
    const { tenants } = importedTenants.parse(await (await ask("POST", "/import", { tenants: [good] })).json());
    expect(tenants[0]?.members).toMatchObject([{ outcome: "exists" }, { outcome: "exists" }]);
  });

  test("stays within the plan of each tenant, and does not touch one that is being deleted", async () => {
    const harness = await newService();
    const ask = operating(harness);
    const limited = { id: "small", overrides: { liveSandboxes: 1 }, sandboxes: [{ name: "a" }, { name: "b" }] };
    await harness.service.tenants.markDeleting("bob");
    const answer = await ask("POST", "/import", { tenants: [limited, { id: "bob", sandboxes: [{ name: "a" }] }] });
    expect(importedTenants.parse(await answer.json()).tenants).toMatchObject([
      { sandboxes: [{ outcome: "created" }, { outcome: "failed", error: { code: "limit_reached" } }] },
      { outcome: "failed", error: { code: "tenant_exists" }, sandboxes: [] },
    ]);
  });

  test.each([
    ["no tenants", { tenants: [] }],
    [
      "too many tenants",
      { tenants: Array.from({ length: identityLimits.importTenants + 1 }, (_, at) => ({ id: `t${at}` })) },
    ],
    [
      "too many sandboxes together",
      {
        tenants: ["a", "b"].map((id) => ({
          id,
          sandboxes: Array.from({ length: 26 }, (_, at) => ({ name: `s${at}` })),
        })),
      },
    ],
    ["an address that is none", { tenants: [{ id: "a", members: [{ email: "x" }] }] }],
    ["a sandbox without a name", { tenants: [{ id: "a", sandboxes: [{}] }] }],
    ["a field that it does not know", { tenants: [{ id: "a", sandboxes: [{ name: "a", template: "x" }] }] }],
  ])("is refused with %s, and nothing is stored", async (_, body) => {
    const harness = await newService();
    const before = storedRows(harness.database);
    expect((await operating(harness)("POST", "/import", body)).status).toBe(400);
    expect(storedRows(harness.database)).toEqual(before);
  });
});

test("Y8: the usage of all tenants is JSON or CSV, by day and tenant", async () => {
  const harness = await newService();
  const ask = operating(harness);
  for (const key of [keys.ada, keys.bob]) await harness.send("POST", "/v1/sandboxes", { key });
  harness.time.nowMs += 3_600_000;
  await reconcileTenants(harness.service);
  const all = await (await ask("GET", "/usage")).json<{
    total: { sandboxHours: number };
    rows: { tenant: string }[];
  }>();
  expect([all.total.sandboxHours, all.rows.map(({ tenant }) => tenant)]).toEqual([2, ["ada", "bob"]]);
  for (const answer of [
    await ask("GET", "/usage?format=csv"),
    await ask("GET", "/usage", undefined, { accept: "text/csv" }),
  ]) {
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=UTF-8");
    expect((await answer.text()).split("\r\n").slice(0, 3)).toEqual([
      "day,tenant,sandboxHours,awakeHours,requests,rowsRead,rowsWritten,bytes,price",
      "2026-01-01,ada,1,0,0,0,0,0,0",
      "2026-01-01,bob,1,0,0,0,0,0,0",
    ]);
  }
  expect(await (await ask("GET", "/tenants/ada/usage?format=csv")).text()).toMatch(/^day,sandbox,name,/);
  expect((await ask("GET", "/usage?from=2026-02-01&to=2026-01-01")).status).toBe(400);
  expect((await ask("GET", "/usage?from=2020-01-01&to=2026-01-01")).status).toBe(400);
});

describe("J1: the limits of each person", () => {
  async function limited(overrides: object) {
    const harness = await newService();
    await operating(harness)("PATCH", "/tenants/ada", { overrides });
    const [eve, noa] = await Promise.all(
      ["eve", "noa"].map((name) =>
        addPerson(harness.database, name, { tenant: "ada", role: "member", nowMs: harness.time.nowMs }),
      ),
    );
    const make = (cookie?: string, key?: string) =>
      harness.send("POST", "/v1/sandboxes", { ...(cookie ? { cookie } : {}), ...(key ? { key } : {}) });
    return { harness, eve: eve?.cookie, noa: noa?.cookie, make };
  }

  test("count the sandboxes of a person and of their keys, and nobody else's", async () => {
    const { harness, eve, noa, make } = await limited({ liveSandboxesPerPerson: 2 });
    const body = { name: "k", scopes: ["sandboxes:create"] };
    const answer = await harness.send("POST", "/v1/keys", { ...(eve ? { cookie: eve } : {}), body });
    const { key } = await answer.json<{ key: string }>();
    const first = await (await make(eve)).json<{ id: string }>();
    expect((await make(undefined, key)).status).toBe(201);
    for (const refused of [await make(eve), await make(undefined, key)]) {
      expect(await errorOf(refused)).toMatchObject({
        status: 429,
        code: "limit_reached",
        limit: { name: "liveSandboxesPerPerson", limited: 2, used: 2 },
        message: expect.stringContaining("the plan has 2"),
      });
    }
    expect((await make(noa)).status).toBe(201);
    // A key that no person created has no limit of a person.
    for (let at = 0; at < 3; at++) expect((await make()).status).toBe(201);
    await harness.send("DELETE", `/v1/sandboxes/${first.id}`);
    await harness.settled();
    expect((await make(eve)).status).toBe(201);
  });

  test("count creations of the last hour, also of deleted sandboxes", async () => {
    const { harness, eve, make } = await limited({ creationsPerHourPerPerson: 1 });
    const { id } = await (await make(eve)).json<{ id: string }>();
    await harness.send("DELETE", `/v1/sandboxes/${id}`);
    await harness.settled();
    expect(await errorOf(await make(eve))).toMatchObject({ limit: { name: "creationsPerHourPerPerson" } });
    harness.time.nowMs += 3_600_000;
    expect((await make(eve)).status).toBe(201);
  });

  test("are kept by the tenant's object when it is opened again", async () => {
    const { harness, eve, make } = await limited({ liveSandboxesPerPerson: 1 });
    await make(eve);
    expect(harness.tenants.inside("ada").counts().liveSandboxes).toBe(1);
    harness.tenants.reopen("ada");
    expect((await make(eve)).status).toBe(429);
  });
});
