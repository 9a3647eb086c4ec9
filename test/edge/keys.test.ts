// API keys: scopes, storage and expiry.
import { describe, expect, test, vi } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { errorBody } from "../../shared/contract/error.ts";
import { keyList, keyWithSecret } from "../../shared/contract/key.ts";
import type { Scope } from "../../shared/contract/scope.ts";
import { me } from "../../shared/contract/sign-in.ts";
import { newExpiringCache } from "../../worker/edge/expiring-cache.ts";
import type { Caller } from "../../worker/edge/control-api/access/caller.ts";
import { controlApiApp } from "../../worker/edge/control-api/control-api.ts";
import { addKey, addPerson, storedRows } from "./people.ts";
import { keys, newService } from "./service.ts";

type Harness = Awaited<ReturnType<typeof newService>>;

async function createKey({ send }: Harness, body: object, identity: { key?: string; cookie?: string } = {}) {
  const answer = await send("POST", "/v1/keys", {
    body: { name: "ci", scopes: ["sandboxes:read"], ...body },
    ...identity,
  });
  expect(answer.status, await answer.clone().text()).toBe(201);
  return keyWithSecret.parse(await answer.json());
}

async function listed({ send }: Harness) {
  return keyList.parse(await (await send("GET", "/v1/keys")).json()).keys;
}

async function errorOf(answer: Response | Promise<Response>) {
  const { status } = await answer;
  const { error } = errorBody.parse(await (await answer).json());
  return { status, code: error.code, field: error.field, scope: error.scope };
}

const unauthorized = { status: 401, code: "unauthorized" };

/** The same D1, reached through another isolate. */
function elsewhere({ service }: Harness) {
  const otherRegion = {
    ...service,
    callerCache: newExpiringCache<Caller>(limits.rememberedCallers, limits.rememberedCallerMs),
  };
  return async (key: string) => {
    const request = new Request("http://localhost:8787/v1/me", { headers: { authorization: `Bearer ${key}` } });
    return (await controlApiApp.fetch(request, { controlApi: otherRegion })).status;
  };
}

describe("an API key", () => {
  test("O4: is shown once and stored as a hash, with its scopes", async () => {
    const harness = await newService();
    const { key, ...createdFacts } = await createKey(harness, {
      scopes: ["sandboxes:read", "sandboxes:create"],
      ttlSeconds: 60,
    });
    expect(key).toMatch(/^sbk_[a-z2-7]{48}$/);
    expect(storedRows(harness.database).join("\n")).not.toContain(key);
    expect(createdFacts).toMatchObject({ name: "ci", scopes: ["sandboxes:read", "sandboxes:create"] });
    expect((await listed(harness)).map(({ name }) => name).sort()).toEqual(["ci", "operator"]);
    expect((await listed(harness)).find(({ id }) => id === createdFacts.id)).toEqual(createdFacts);
    const identity = me.parse(await (await harness.send("GET", "/v1/me", { key })).json());
    expect(identity).toEqual({
      tenant: { id: "ada", name: "ada" },
      scopes: ["sandboxes:read", "sandboxes:create"],
      key: { id: createdFacts.id, name: "ci", expiresAt: createdFacts.expiresAt },
    });
  });

  test("O4: is refused after its revocation, immediately in the same isolate and elsewhere after the cache expires", async () => {
    const harness = await newService();
    const { id, key } = await createKey(harness, {});
    const callElsewhere = elsewhere(harness);
    expect([(await harness.send("GET", "/v1/me", { key })).status, await callElsewhere(key)]).toEqual([200, 200]);
    expect((await harness.send("DELETE", `/v1/keys/${id}`)).status).toBe(204);
    expect(await errorOf(harness.send("GET", "/v1/me", { key }))).toMatchObject(unauthorized);
    harness.time.nowMs += limits.rememberedCallerMs - 1;
    expect(await callElsewhere(key)).toBe(200);
    harness.time.nowMs += 1;
    expect(await callElsewhere(key)).toBe(401);
    expect(await errorOf(harness.send("DELETE", `/v1/keys/${id}`))).toMatchObject({ status: 404 });
  });

  test("O4: is not cached by a request that was reading D1 during the revocation", async () => {
    const harness = await newService();
    const { id, key } = await createKey(harness, {});
    const { find } = harness.service.keys;
    harness.service.keys = {
      ...harness.service.keys,
      find: async (hash) => {
        const keyRecord = await find(hash);
        harness.service.keys = { ...harness.service.keys, find };
        expect((await harness.send("DELETE", `/v1/keys/${id}`)).status).toBe(204);
        return keyRecord;
      },
    };
    await harness.send("GET", "/v1/me", { key });
    expect(await errorOf(harness.send("GET", "/v1/me", { key }))).toMatchObject(unauthorized);
  });

  test("O4: is refused from its expiry on, also from the cache, and no longer listed", async () => {
    const harness = await newService();
    const { key } = await createKey(harness, { ttlSeconds: 10 });
    harness.time.nowMs += 9_999;
    expect((await harness.send("GET", "/v1/me", { key })).status).toBe(200);
    harness.time.nowMs += 1;
    expect(await errorOf(harness.send("GET", "/v1/me", { key }))).toMatchObject(unauthorized);
    expect((await listed(harness)).map(({ name }) => name)).toEqual(["operator"]);
  });

  test("O4: is read from D1 once in half a minute, and its use is written once an hour, after the answer", async () => {
    const harness = await newService();
    const { service, time, settled } = harness;
    const { id, key } = await createKey(harness, {});
    const find = vi.spyOn(service.keys, "find");
    const noteUse = vi.spyOn(service.keys, "noteUse");
    const used = async () => (await listed(harness)).find((listedKey) => listedKey.id === id)?.lastUsedAt;
    await listed(harness);
    find.mockClear();
    noteUse.mockClear();
    for (let at = 0; at < 10; at++) {
      time.nowMs += 1000;
      await harness.send("GET", "/v1/sandboxes", { key });
    }
    await settled();
    expect([find.mock.calls.length, noteUse.mock.calls.length]).toEqual([1, 1]);
    const first = await used();
    expect(first).toBe(new Date(time.nowMs - 9000).toISOString());
    for (let at = 0; at < 58; at++) {
      time.nowMs += 60_000;
      await harness.send("GET", "/v1/sandboxes", { key });
    }
    await settled();
    expect(await used()).toBe(first);
    time.nowMs += 2 * 60_000;
    await harness.send("GET", "/v1/sandboxes", { key });
    await settled();
    expect(await used()).toBe(new Date(time.nowMs).toISOString());
  });

  test("O4: is accepted even if its use cannot be recorded", async () => {
    const harness = await newService();
    const { key } = await createKey(harness, {});
    harness.service.keys = { ...harness.service.keys, noteUse: () => Promise.reject(new Error("D1 is away")) };
    expect((await harness.send("GET", "/v1/sandboxes", { key })).status).toBe(200);
    await harness.settled();
    expect(harness.errors).toHaveLength(1);
  });

  test("O4: is bounded in number for each tenant, not counting expired keys", async () => {
    const harness = await newService();
    for (let at = 0; at < limits.keys - 2; at++) await addKey(harness.database, "ada", `k${at}`, []);
    await createKey(harness, { ttlSeconds: 1 });
    const body = { name: "k", scopes: ["sandboxes:read"] };
    expect(await errorOf(harness.send("POST", "/v1/keys", { body }))).toMatchObject({
      status: 409,
      code: "too_many_keys",
    });
    harness.time.nowMs += 1000;
    await createKey(harness, {});
  });

  test.each([
    [{ scopes: [] }, "scopes"],
    [{ scopes: ["sandboxes:fly"] }, "scopes.0"],
    [{ name: "" }, "name"],
    [{ name: "a\nb" }, "name"],
    [{ name: "x".repeat(101) }, "name"],
    [{ ttlSeconds: 0 }, "ttlSeconds"],
    [{ else: 1 }, "else"],
  ])("I2: with %j is a 400 that names the field", async (body, field) => {
    const { send } = await newService();
    const answer = send("POST", "/v1/keys", { body: { name: "k", scopes: ["sandboxes:read"], ...body } });
    expect(await errorOf(answer)).toMatchObject({ status: 400, field });
  });
});

describe("rights of a key", () => {
  test("O2: a key creates no key with more scopes or a later expiry than its own", async () => {
    const harness = await newService();
    const scopes: Scope[] = ["keys:write", "sandboxes:read"];
    const { key, expiresAt } = await createKey(harness, { scopes, ttlSeconds: 60 });
    const body = { name: "k", scopes: ["keys:write", "sandboxes:delete"] };
    const refused = await errorOf(harness.send("POST", "/v1/keys", { key, body }));
    expect(refused).toEqual({ status: 403, code: "missing_scope", field: undefined, scope: "sandboxes:delete" });
    expect((await createKey(harness, { ttlSeconds: 3600 }, { key })).expiresAt).toBe(expiresAt);
    expect((await createKey(harness, {}, { key })).expiresAt).toBe(expiresAt);
  });

  test("O2: a key revokes no key with more scopes, except itself", async () => {
    const harness = await newService();
    const strong = await createKey(harness, { scopes: ["sandboxes:delete"] });
    const weak = await createKey(harness, { scopes: ["keys:write"] });
    const revoke = (id: string) => harness.send("DELETE", `/v1/keys/${id}`, { key: weak.key });
    expect(await errorOf(revoke(strong.id))).toMatchObject({ status: 403, scope: "sandboxes:delete" });
    expect((await revoke(weak.id)).status).toBe(204);
  });

  test("O2: a person's key follows the person's role, and ends with the membership", async () => {
    const harness = await newService();
    const { database, time, send } = harness;
    const member = await addPerson(database, "mia", { tenant: "ada", role: "member", nowMs: time.nowMs });
    await addPerson(database, "ann", { tenant: "ada", role: "owner", nowMs: time.nowMs });
    const { key, madeBy } = await createKey(harness, { scopes: ["sandboxes:read", "sandboxes:create"] }, member);
    expect(madeBy).toBe(member.id);
    const may = async () => me.parse(await (await send("GET", "/v1/me", { key })).json()).scopes;
    expect(await may()).toEqual(["sandboxes:read", "sandboxes:create"]);
    expect((await send("PATCH", `/v1/members/${member.id}`, { body: { role: "viewer" } })).status).toBe(200);
    expect(await may()).toEqual(["sandboxes:read"]);
    expect((await send("DELETE", `/v1/members/${member.id}`)).status).toBe(204);
    expect(await errorOf(send("GET", "/v1/me", { key }))).toMatchObject(unauthorized);
    expect((await listed(harness)).map(({ name }) => name)).toEqual(["operator"]);
  });

  test("O2: a key of a former member is refused", async () => {
    const { database, time, send } = await newService();
    const bob = await addPerson(database, "bob", { tenant: "bob", role: "owner", nowMs: time.nowMs });
    const key = await addKey(database, "ada", "late", ["sandboxes:read"]);
    expect((await send("GET", "/v1/sandboxes", { key })).status).toBe(200);
    time.nowMs += limits.rememberedCallerMs;
    // As one would be that was made elsewhere while the person was removed.
    database.prepare("UPDATE api_keys SET person_id = ? WHERE name = 'late'").run(bob.id);
    expect(await errorOf(send("GET", "/v1/sandboxes", { key }))).toMatchObject(unauthorized);
  });

  test("O2: a sandbox's credentials need the connect scope, and its other fields the read scope", async () => {
    const harness = await newService();
    const { database, send } = harness;
    const { id } = await (await send("POST", "/v1/sandboxes")).json<{ id: string }>();
    const key = await addKey(database, "ada", "reader", ["sandboxes:read", "sandboxes:write", "snapshots:read"]);
    const get = async (headers = {}) => send("GET", `/v1/sandboxes/${id}`, { key, headers });
    expect(await (await get()).json()).not.toHaveProperty("token");
    expect(await (await send("GET", `/v1/sandboxes/${id}`)).json()).toHaveProperty("token");
    const connect = { status: 403, code: "missing_scope", scope: "sandboxes:connect" };
    expect(await errorOf(get({ accept: "application/yaml" }))).toMatchObject(connect);
    const changed = await send("PATCH", `/v1/sandboxes/${id}`, { key, body: { name: "b" } });
    expect([changed.status, await changed.json()]).toEqual([
      200,
      expect.not.objectContaining({ token: expect.anything() }),
    ]);
    const token = (body: object) => send("POST", `/v1/sandboxes/${id}/tokens`, { key, body });
    expect((await token({})).status).toBe(201);
    expect(await errorOf(token({ user: "ada" }))).toMatchObject(connect);
    expect(await errorOf(token({ frameOrigins: ["https://a.example.org"] }))).toMatchObject(connect);
  });

  test("O2: creating a sandbox from a snapshot needs the scope to read snapshots", async () => {
    const harness = await newService();
    const { database, send } = harness;
    const { id } = await (await send("POST", "/v1/sandboxes")).json<{ id: string }>();
    const { id: snapshot } = await (await send("POST", `/v1/sandboxes/${id}/snapshots`)).json<{ id: string }>();
    const key = await addKey(database, "ada", "maker", ["sandboxes:create"]);
    const refused = await errorOf(send("POST", "/v1/sandboxes", { key, body: { snapshot } }));
    expect(refused).toMatchObject({ status: 403, scope: "snapshots:read" });
    const response = await send("POST", "/v1/sandboxes", { key });
    expect(await response.json()).toHaveProperty("token");
  });

  test("O4: a stored answer with a key is repeated only to the same caller", async () => {
    const harness = await newService();
    const { database, send } = harness;
    const body = { name: "k", scopes: ["sandboxes:read"] };
    const headers = { "idempotency-key": "once" };
    const first = await (await send("POST", "/v1/keys", { body, headers })).text();
    expect(await (await send("POST", "/v1/keys", { body, headers })).text()).toBe(first);
    const key = await addKey(database, "ada", "other", ["keys:write", "sandboxes:read"]);
    expect(await errorOf(send("POST", "/v1/keys", { body, headers, key }))).toMatchObject({ status: 422 });
    const stored = database.prepare("SELECT * FROM idempotency_keys").all();
    expect(JSON.stringify(stored)).not.toContain("sbk_");
  });

  test("O1: another tenant's key is 404", async () => {
    const harness = await newService();
    const { id } = await createKey(harness, {});
    expect(await errorOf(harness.send("DELETE", `/v1/keys/${id}`, { key: keys.bob }))).toMatchObject({ status: 404 });
  });
});
