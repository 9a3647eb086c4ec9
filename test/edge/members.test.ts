// Members of an organisation: their roles, and how they go. And the end of an organisation.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { errorBody } from "../../shared/contract/error.ts";
import { memberList } from "../../shared/contract/tenant.ts";
import { me } from "../../shared/contract/sign-in.ts";
import { finishTenants } from "../../worker/edge/control-api/access/tenant.ts";
import { addPerson, storedRows } from "./people.ts";
import { interruptedService } from "./interrupted-service.ts";
import { controlApiApp } from "../../worker/edge/control-api/control-api.ts";
import { keys, newService } from "./service.ts";
import { deletionReportKey } from "../../worker/edge/files.ts";

async function newHarness() {
  const harness = await newService();
  const { database, time } = harness;
  const add = (name: string, role: "owner" | "member" | "viewer", tenant = "ada") =>
    addPerson(database, name, { tenant, role, nowMs: time.nowMs++ });
  return { ...harness, ann: await add("ann", "owner"), mia: await add("mia", "member"), add };
}

async function errorOf(answer: Response | Promise<Response>) {
  const { status } = await answer;
  const { error } = errorBody.parse(await (await answer).json());
  return { status, code: error.code, scope: error.scope };
}

const lastOwner = { status: 409, code: "last_owner" };

describe("members", () => {
  test("O5: are listed with their roles", async () => {
    const { send, ann, mia } = await newHarness();
    const { members } = memberList.parse(await (await send("GET", "/v1/members")).json());
    expect(members.map(({ id, name, role }) => [id, name, role])).toEqual([
      [ann.id, "ann", "owner"],
      [mia.id, "mia", "member"],
    ]);
  });

  test("O5: include at least one owner, who can neither be removed, demoted nor leave", async () => {
    const { send, ann, mia, database } = await newHarness();
    const before = () => database.prepare("SELECT * FROM members").all();
    const rows = before();
    expect(await errorOf(send("DELETE", `/v1/members/${ann.id}`))).toMatchObject(lastOwner);
    expect(await errorOf(send("PATCH", `/v1/members/${ann.id}`, { body: { role: "member" } }))).toMatchObject(
      lastOwner,
    );
    expect(await errorOf(send("DELETE", "/v1/me/memberships/ada", { cookie: ann.cookie }))).toMatchObject(lastOwner);
    expect(before()).toEqual(rows);
    expect((await send("PATCH", `/v1/members/${mia.id}`, { body: { role: "owner" } })).status).toBe(200);
    expect((await send("DELETE", "/v1/me/memberships/ada", { cookie: ann.cookie })).status).toBe(204);
  });

  test("O5: keep one of two owners who leave at once", async () => {
    const { send, ann, add } = await newHarness();
    const eve = await add("eve", "owner");
    const leave = async (cookie: string) => (await send("DELETE", "/v1/me/memberships/ada", { cookie })).status;
    expect((await Promise.all([leave(ann.cookie), leave(eve.cookie)])).sort()).toEqual([204, 409]);
  });

  test("O5: lose access immediately when they are removed", async () => {
    const { send, ann, mia } = await newHarness();
    expect((await send("GET", "/v1/sandboxes", { cookie: mia.cookie })).status).toBe(200);
    expect((await send("DELETE", `/v1/members/${mia.id}`, { cookie: ann.cookie })).status).toBe(204);
    expect(await errorOf(send("GET", "/v1/sandboxes", { cookie: mia.cookie }))).toMatchObject({ status: 403 });
    const identity = me.parse(await (await send("GET", "/v1/me", { cookie: mia.cookie })).json());
    expect(identity).toMatchObject({ scopes: [], memberships: [], person: { name: "mia" } });
    expect(identity.tenant).toBeUndefined();
  });

  test("O2: neither create, change nor invite anyone with more rights than their own", async () => {
    const { send, ann } = await newHarness();
    const body = { name: "k", scopes: ["members:write", "members:read"] };
    const { key } = await (await send("POST", "/v1/keys", { body })).json<{ key: string }>();
    const refused = { status: 403, code: "missing_scope" };
    expect(await errorOf(send("POST", "/v1/invitations", { key, body: { role: "owner" } }))).toMatchObject(refused);
    expect(await errorOf(send("DELETE", `/v1/members/${ann.id}`, { key }))).toMatchObject(refused);
    const lower = send("PATCH", `/v1/members/${ann.id}`, { key, body: { role: "viewer" } });
    expect(await errorOf(lower)).toMatchObject(refused);
  });

  test("O5: may create a bounded number of organisations if sign-up is open", async () => {
    const { send, ann, service, database } = await newHarness();
    const make = () => send("POST", "/v1/tenants", { cookie: ann.cookie, body: { name: "second" } });
    expect(await errorOf(make())).toMatchObject({ status: 403, code: "not_invited" });
    service.signIn = { signUp: true };
    const sandbox = await (await make()).json<{ id: string }>();
    const moved = await send("PATCH", "/v1/me", { cookie: ann.cookie, body: { tenant: sandbox.id } });
    expect(me.parse(await moved.json())).toMatchObject({ tenant: { name: "second" }, role: "owner" });
    for (let at = 2; at < limits.memberships; at++) {
      database.prepare("INSERT INTO tenants (id, name, created_at_ms) VALUES (?, 't', 0)").run(`t${at}`);
      database.prepare("INSERT INTO members VALUES (?, ?, 'viewer', 0)").run(`t${at}`, ann.id);
    }
    expect(await errorOf(make())).toMatchObject({ status: 409, code: "too_many_tenants" });
  });

  test("O5: may create as many organisations as the best of their plans allows, which the operator can change", async () => {
    const { send, ann, service, database } = await newHarness();
    service.signIn = { signUp: true };
    service.plan = "free";
    const make = () => send("POST", "/v1/tenants", { cookie: ann.cookie, body: { name: "more" } });
    const createdSandboxes = [];
    for (let at = 0; at < 3; at++) createdSandboxes.push((await (await make()).json<{ id: string }>()).id);
    const refused = await make();
    expect(refused.headers.get("retry-after")).toBe("60");
    expect([refused.status, await refused.text()]).toEqual([
      429,
      expect.stringContaining("organisations: the plan has 3, 3 of it are used, and 1 more were asked for"),
    ]);
    // With another owner in their place they are still hers.
    database
      .prepare("DELETE FROM members WHERE tenant_id = ? AND person_id = ?")
      .run(createdSandboxes[0] ?? "", ann.id);
    expect((await make()).status).toBe(429);
    const path = `/v1/admin/tenants/${createdSandboxes[1]}`;
    await send("PATCH", path, { key: keys.operator, body: { overrides: { organisations: 4 } } });
    expect([(await make()).status, (await make()).status]).toEqual([201, 429]);
    // What is being deleted counts no more.
    database.prepare("UPDATE tenants SET state = 'deleting' WHERE id = ?").run(createdSandboxes[2] ?? "");
    expect((await make()).status).toBe(201);
  });

  test("O5: create no more organisations with concurrent requests", async () => {
    const { send, ann, service, time } = await newHarness();
    const owner = { personId: ann.id, creators: [ann.id], memberships: 50, createdLimit: 1 };
    const add = (id: string) =>
      service.tenants.add({ id, name: id, createdAtMs: time.nowMs, createdBy: ann.id }, owner);
    // Both have looked before either was added.
    expect([await add("first"), await add("second")]).toEqual([true, false]);
    await service.tenants.markDeleting("first");
    service.signIn = { signUp: true };
    service.plan = "free";
    const all = Array.from({ length: 8 }, () =>
      send("POST", "/v1/tenants", { cookie: ann.cookie, body: { name: "more" } }),
    );
    const statuses = (await Promise.all(all)).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 201, 201, 429, 429, 429, 429, 429]);
  });

  test("O5: have a bounded number of open invitations, not counting expired ones", async () => {
    const { send, time } = await newHarness();
    const invite = (ttlSeconds: number) => send("POST", "/v1/invitations", { body: { ttlSeconds } });
    for (let at = 0; at < limits.invitations; at++) expect((await invite(60)).status).toBe(201);
    expect(await errorOf(invite(60))).toMatchObject({ status: 409, code: "too_many_invitations" });
    time.nowMs += 60_000;
    expect((await invite(60)).status).toBe(201);
  });
});

describe("the deletion of an organisation", () => {
  test("O9: refuses access immediately, removes its data, and leaves other organisations unchanged", async () => {
    const { send, ann, clusters, files, database, settled, service, tenants } = await newHarness();
    const mine = await (await send("POST", "/v1/sandboxes")).json<{ id: string }>();
    await send("POST", `/v1/sandboxes/${mine.id}/snapshots`);
    expect((await send("POST", "/v1/templates", { body: { name: "mine", sandbox: mine.id } })).status).toBe(201);
    expect((await send("POST", "/v1/webhooks", { body: { url: "https://hooks.example.com" } })).status).toBe(201);
    await service.plans.set("ada", { plan: "team" });
    const theirs = await (await send("POST", "/v1/sandboxes", { key: keys.bob })).json<{ id: string }>();
    expect((await send("DELETE", "/v1/tenant", { cookie: ann.cookie })).status).toBe(204);
    expect(await errorOf(send("GET", "/v1/sandboxes"))).toMatchObject({ status: 401 });
    const identity = me.parse(await (await send("GET", "/v1/me", { cookie: ann.cookie })).json());
    expect(identity.memberships).toEqual([]);
    await settled();
    // The report of the deletion is all that is left.
    expect([clusters.get(mine.id)?.destroyed, [...files.stored.keys()]]).toEqual([true, [deletionReportKey("ada")]]);
    expect(tenants.inside("ada").counts()).toMatchObject({ liveSandboxes: 0, creationsLastHour: 0, webhooks: 0 });
    expect(storedRows(database).filter((row) => row.includes('"ada"'))).toEqual([]);
    expect((await send("GET", `/v1/sandboxes/${theirs.id}`, { key: keys.bob })).status).toBe(200);
    expect(clusters.get(theirs.id)?.destroyed).toBe(false);
  });

  test("O9: is continued by later runs, for any number of sandboxes", async () => {
    const { send, service, database, settled, clusters } = await newHarness();
    const many = limits.sandboxesSwept + 5;
    const sandbox = await (await send("POST", "/v1/sandboxes")).json<{ id: string }>();
    const row = database.prepare("SELECT * FROM sandboxes").get() as Record<string, string | number>;
    for (let at = 1; at < many; at++) {
      const insert = database.prepare(
        `INSERT INTO sandboxes VALUES (${Object.keys(row)
          .map(() => "?")
          .join()})`,
      );
      insert.run(...Object.values({ ...row, id: `s${at}` }));
    }
    expect((await send("DELETE", "/v1/tenant")).status).toBe(204);
    await settled();
    const left = () => database.prepare("SELECT count(*) AS n FROM sandboxes").get();
    expect(left()).toEqual({ n: 5 });
    expect(await service.tenants.find("ada")).toBeUndefined();
    // One more that was being made when it was marked.
    database.prepare("UPDATE sandboxes SET state = 'ready' WHERE id = ?").run(`s${many - 1}`);
    await finishTenants(service);
    expect(left()).toEqual({ n: 0 });
    expect(clusters.get(sandbox.id)?.destroyed).toBe(true);
    expect(database.prepare("SELECT id FROM tenants").all()).toEqual([{ id: "bob" }]);
  });

  test("O9: hides everything after an interruption at any step, and a sweep completes it", async () => {
    for (let at = 0; at < 40; at++) {
      const harness = await newHarness();
      const { send, service, database, settled } = harness;
      await send("POST", "/v1/sandboxes");
      const { callerCache: callers } = service;
      const request = new Request("http://localhost:8787/v1/tenant", {
        method: "DELETE",
        headers: { authorization: `Bearer ${keys.ada}` },
      });
      const cut = interruptedService(service, at, "after");
      const answer = await controlApiApp.fetch(request, { controlApi: { ...cut, later: service.later } });
      await settled();
      callers.clear();
      if (answer.status !== 204) continue;
      expect((await send("GET", "/v1/sandboxes")).status).toBe(401);
      await finishTenants(service);
      expect(storedRows(database).filter((row) => row.includes('"ada"'))).toEqual([]);
    }
  });
});
