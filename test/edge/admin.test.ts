// The operator's routes of the control API, and their authorization.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { auditList } from "../../shared/contract/control-audit.ts";
import {
  sandboxHealth,
  operatedTenant,
  operatedTenantList,
  operatorsAuditList,
} from "../../shared/contract/hosted/admin.ts";
import { sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { routes } from "../../worker/edge/control-api/control-api.ts";
import { reconcileTenants } from "../../worker/edge/control-api/tenancy/reconcile.ts";
import { informTenants } from "../../worker/edge/control-api/tenancy/inform-sandboxes.ts";
import { addPerson } from "./people.ts";
import { keys, newService, startMs } from "./service.ts";

const operator = { key: keys.operator };

async function make({ send }: Awaited<ReturnType<typeof newService>>) {
  return sandboxWithToken.parse(await (await send("POST", "/v1/sandboxes")).json());
}

describe("the operator's routes", () => {
  const operatorRoutes = routes
    .filter(({ access }) => access.kind === "operator")
    .map(({ method, path }) => [method, path] as const);

  test.each(operatorRoutes)(
    "Y1: %s %s is refused without the operator's key, with a tenant's key, and if no operator key is configured",
    async (method, path) => {
      const { send, service } = await newService();
      const at = path.replace("{tenant}", "ada").replace("{id}", "x");
      for (const key of ["", keys.ada, "wrong"]) expect((await send(method, at, { key })).status).toBe(401);
      service.operatorKey = undefined;
      expect((await send(method, at, operator)).status).toBe(401);
    },
  );

  test("Y1: the operator's key is refused on tenants' routes", async () => {
    const { send } = await newService();
    expect((await send("GET", "/v1/sandboxes", operator)).status).toBe(401);
  });

  test("Y2: tenants are listed in pages, and each has its limits and counts", async () => {
    const harness = await newService();
    await make(harness);
    const page = operatedTenantList.parse(
      await (await harness.send("GET", "/v1/admin/tenants?limit=1", operator)).json(),
    );
    expect([page.tenants.map(({ id }) => id), page.nextCursor]).toEqual([["ada"], "ada"]);
    const rest = operatedTenantList.parse(
      await (await harness.send("GET", "/v1/admin/tenants?cursor=ada", operator)).json(),
    );
    expect([rest.tenants.map(({ id }) => id), rest.nextCursor]).toEqual([["bob"], undefined]);
    const ada = operatedTenant.parse(await (await harness.send("GET", "/v1/admin/tenants/ada", operator)).json());
    expect(ada).toMatchObject({
      plan: "unmetered",
      liveSandboxes: 1,
      creationsLastHour: 1,
      limits: { liveSandboxes: null },
    });
    expect((await harness.send("GET", "/v1/admin/tenants/nobody", operator)).status).toBe(404);
  });

  test("Y3: a plan and limits are set and unset", async () => {
    const { send } = await newService();
    const change = async (body: object) =>
      operatedTenant.parse(await (await send("PATCH", "/v1/admin/tenants/ada", { ...operator, body })).json());
    expect(await change({ plan: "free", overrides: { nodes: 7 } })).toMatchObject({
      plan: "free",
      limits: { nodes: 7, liveSandboxes: 10 },
    });
    expect(await change({ plan: null, overrides: {} })).toMatchObject({
      plan: "unmetered",
      overrides: {},
      limits: { nodes: null },
    });
    const wrong = await send("PATCH", "/v1/admin/tenants/ada", { ...operator, body: { plan: "gold" } });
    expect(wrong.status).toBe(400);
  });

  test("Y4: a suspension refuses the tenant and stops its sandboxes until it is lifted", async () => {
    const harness = await newService();
    const { id } = await make(harness);
    const suspend = (suspended: string | null) =>
      harness.send("PATCH", "/v1/admin/tenants/ada", { ...operator, body: { suspended } });
    expect(await (await suspend("you mine coins")).json()).toMatchObject({ suspended: "you mine coins" });
    expect([harness.clusters.get(id)?.suspended, (await harness.send("GET", "/v1/sandboxes")).status]).toEqual([
      "you mine coins",
      403,
    ]);
    await suspend(null);
    expect([harness.clusters.get(id)?.suspended, (await harness.send("GET", "/v1/sandboxes")).status]).toEqual([
      "",
      200,
    ]);
  });

  test("Y5: a sandbox's health is numeric, and no operator sees its token", async () => {
    const harness = await newService();
    const { id, token } = await make(harness);
    const health = await harness.send("GET", `/v1/admin/sandboxes/${id}/health`, operator);
    expect(sandboxHealth.parse(await health.json())).toMatchObject({ objects: 2, suspended: false });
    const listed = await (await harness.send("GET", "/v1/admin/tenants/ada/sandboxes", operator)).text();
    expect([listed.includes(id), listed.includes(token)]).toEqual([true, false]);
    expect((await harness.send("GET", "/v1/admin/sandboxes/invented/health", operator)).status).toBe(404);
  });

  test("Y6: metrics are in Prometheus' text format, with the directory's counts", async () => {
    const harness = await newService();
    await make(harness);
    harness.time.nowMs += 3_600_000;
    await reconcileTenants(harness.service);
    const answer = await harness.send("GET", "/metrics", operator);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await answer.text();
    expect(text).toMatch(/^# HELP sandbar_tenants .*\n# TYPE sandbar_tenants gauge\nsandbar_tenants 2$/m);
    expect(text).toMatch(/^sandbar_sandboxes_live 1$/m);
    expect(text).toMatch(/^sandbar_today_sandbox_seconds 3600$/m);
    for (const line of text.trimEnd().split("\n"))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? [\d.]+)$/);
  });

  test("J2: a tenant's counts are reconciled by the operator or by the scheduled run, which goes through all tenants", async () => {
    const harness = await newService();
    const { id } = await make(harness);
    harness.time.nowMs += 3_600_000;
    harness.tenants.inside("ada").recordEnd(id);
    const answer = await harness.send("POST", "/v1/admin/tenants/ada/reconcile", operator);
    expect(await answer.json()).toEqual({ corrected: 1 });
    harness.tenants.inside("ada").recordEnd(id);
    await reconcileTenants(harness.service);
    expect(harness.tenants.inside("ada").counts().liveSandboxes).toBe(0);
    harness.time.nowMs += 13 * 3_600_000;
    await reconcileTenants(harness.service);
    expect(harness.tenants.inside("ada").counts().liveSandboxes).toBe(1);
  });
});

describe("an operator's change", () => {
  const change = ({ send }: Awaited<ReturnType<typeof newService>>, body: object, tenant = "ada") =>
    send("PATCH", `/v1/admin/tenants/${tenant}`, { ...operator, body });

  test("Y7: is in the tenant's and the operators' audit logs, with the old and the new value", async () => {
    const harness = await newService();
    const { send, settled } = harness;
    await change(harness, { plan: "free", overrides: { nodes: 7 } });
    await change(harness, { suspended: "you mine coins" }, "bob");
    await send("POST", "/v1/admin/tenants/ada/reconcile", operator);
    expect((await change(harness, { plan: "gold" })).status).toBe(400);
    expect((await change(harness, { plan: "free" }, "nobody")).status).toBe(404);
    await settled();
    const by = { kind: "operator", id: "operator", name: "operator" };
    const { entries } = auditList.parse(await (await send("GET", "/v1/audit")).json());
    expect(entries).toMatchObject([
      { by, action: "reconcileTenant", target: "ada", outcome: "done" },
      { by, action: "changeOperatedTenant", changed: { plan: "free", overrides: { nodes: 7 } }, outcome: "done" },
    ]);
    const page = async (query: string) =>
      operatorsAuditList.parse(await (await send("GET", `/v1/admin/audit${query}`, operator)).json());
    const first = await page("?limit=2");
    expect(first.entries).toMatchObject([
      { tenant: "ada", action: "reconcileTenant" },
      { tenant: "bob", action: "changeOperatedTenant", changed: { suspended: "you mine coins" } },
    ]);
    const rest = await page(`?limit=2&cursor=${first.nextCursor}`);
    expect([rest.entries.length, rest.nextCursor]).toEqual([1, undefined]);
    expect((await send("GET", "/v1/admin/audit?cursor=!", operator)).status).toBe(400);
  });

  test("J8: reaches existing sandboxes with new limits, together with the service's limits", async () => {
    const harness = await newService();
    harness.service.limits = { watches: 9 };
    const { id } = await make(harness);
    await change(harness, { overrides: { objects: 50 } });
    expect(harness.clusters.get(id)).toMatchObject({ suspended: "", limits: { objects: 50, watches: 9 } });
    await change(harness, { plan: "free", overrides: { nodes: 2 } });
    expect(harness.clusters.get(id)?.limits).toMatchObject({ nodes: 2, objects: 5_000, requestsPerSecond: 50 });
    await change(harness, { plan: null, overrides: {} });
    expect(harness.clusters.get(id)?.limits).toEqual({ watches: 9 });
  });

  test("J8: is delivered by the scheduled run, page by page, to sandboxes that it did not reach", async () => {
    const harness = await newService();
    const { service, clusters, errors } = harness;
    const { id } = await make(harness);
    const cluster = clusters.get(id);
    if (!cluster) throw new Error("no cluster");
    const { setStanding } = cluster;
    cluster.setStanding = () => Promise.reject(new Error("away"));
    expect((await change(harness, { overrides: { objects: 50 } })).status).toBe(200);
    expect([cluster.limits, errors.length]).toEqual([undefined, 1]);
    // Asked twice: a call may be lost.
    cluster.setStanding = () => {
      cluster.setStanding = setStanding;
      return Promise.reject(new Error("away"));
    };
    await informTenants(service);
    expect([cluster.limits, errors.length]).toEqual([{ objects: 50 }, 1]);
    expect(await service.plans.tenantsToInform(10)).toEqual([]);
    // Nobody is woken for nothing.
    delete cluster.limits;
    await informTenants(service);
    expect(cluster.limits).toBeUndefined();
  });

  test("J8: during a scheduled run is delivered by the next run", async () => {
    const harness = await newService();
    const { service, clusters } = harness;
    const { id } = await make(harness);
    const cluster = clusters.get(id);
    if (!cluster) throw new Error("no cluster");
    await service.plans.set("ada", { overrides: { objects: 50 } });
    const { setStanding } = cluster;
    cluster.setStanding = async (old) => {
      cluster.setStanding = setStanding;
      await change(harness, { overrides: { objects: 60 } });
      expect(cluster.limits).toEqual({ objects: 60 });
      await setStanding(old);
    };
    await informTenants(service);
    expect(cluster.limits).toEqual({ objects: 50 });
    await informTenants(service);
    expect(cluster.limits).toEqual({ objects: 60 });
  });

  test("J8: is delivered to a bounded number of sandboxes in a run, of any tenants, and the next run continues", async () => {
    const harness = await newService();
    const { service, database } = harness;
    const many = limits.informedSandboxes + 5;
    const add = database.prepare(
      "INSERT INTO sandboxes (id, tenant_id, name, nodes, created_at_ms, expires_at_ms) VALUES (?, ?, 'x', 1, ?, ?)",
    );
    for (let n = 0; n < many; n++) add.run(`box${n}`, n < 3 ? "bob" : "ada", n, startMs + 1e9);
    for (const tenant of ["bob", "ada"]) await service.plans.set(tenant, { suspended: "why" });
    const countSuspended = () => [...harness.clusters.values()].filter(({ suspended }) => suspended === "why").length;
    await informTenants(service);
    expect([countSuspended(), (await service.plans.tenantsToInform(10)).length]).toEqual([limits.informedSandboxes, 1]);
    await informTenants(service);
    expect([countSuspended(), (await service.plans.tenantsToInform(10)).length]).toEqual([many, 0]);
  });

  test("O10: deletes a person, but not a last owner, with an audit entry", async () => {
    const { send, database, settled } = await newService();
    const { id, cookie } = await addPerson(database, "eve", { tenant: "ada", role: "owner", nowMs: startMs });
    const away = () => send("DELETE", `/v1/admin/people/${id}`, operator);
    expect((await away()).status).toBe(409);
    await addPerson(database, "noa", { tenant: "ada", role: "owner", nowMs: startMs });
    expect((await away()).status).toBe(204);
    expect((await send("GET", "/v1/me", { cookie })).status).toBe(401);
    expect((await away()).status).toBe(404);
    await settled();
    const { entries } = auditList.parse(await (await send("GET", "/v1/audit")).json());
    expect(entries).toMatchObject([{ by: { kind: "operator" }, action: "deletePerson", target: id }]);
  });
});
