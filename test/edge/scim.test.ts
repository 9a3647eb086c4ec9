// SCIM 2.0: users, groups and roles, as identity providers send them.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { identityLimits } from "../../shared/base/request-limits.ts";
import { scimError, scimGroup, scimType, scimUser, scimUserList } from "../../shared/contract/hosted/scim.ts";
import { memberList } from "../../shared/contract/tenant.ts";
import { addPerson, addSession } from "./people.ts";
import { keys, newService, type SendOptions } from "./service.ts";

const users = "/v1/scim/v2/Users";
const groups = "/v1/scim/v2/Groups";
const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const ada = {
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
  userName: "Ada@Example.org",
  externalId: "ext-1",
  name: { givenName: "Ada", familyName: "Lovelace" },
  emails: [{ value: "other@example.org" }, { value: "ADA@example.org", primary: true, type: "work" }],
  active: true,
  "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "engines" },
};

async function begin() {
  const harness = await newService();
  const { database, time } = harness;
  // An owner whom no provider manages, as every organisation has one.
  const owner = await addPerson(database, "own", { tenant: "ada", role: "owner", nowMs: time.nowMs });
  const send = (method: string, path: string, body?: unknown, more: SendOptions = {}) =>
    harness.send(method, path, {
      ...(body === undefined ? {} : { body }),
      headers: { "content-type": scimType },
      ...more,
    });
  const make = async (body: object = ada) => {
    const answer = await send("POST", users, body);
    expect(answer.status, await answer.clone().text()).toBe(201);
    return scimUser.parse(await answer.json());
  };
  const makeGroup = async (displayName: string, ...ids: string[]) => {
    const answer = await send("POST", groups, { displayName, members: ids.map((value) => ({ value })) });
    expect(answer.status, await answer.clone().text()).toBe(201);
    return scimGroup.parse(await answer.json());
  };
  const patch = (path: string, ...operations: object[]) =>
    send("PATCH", path, { schemas: [patchSchema], Operations: operations });
  const roleOf = async (id: string) => {
    const { members } = memberList.parse(await (await harness.send("GET", "/v1/members")).json());
    return members.find((member) => member.id === id)?.role;
  };
  return { ...harness, send, make, makeGroup, patch, roleOf, owner };
}

async function errorOf(answer: Response) {
  expect(answer.headers.get("content-type")).toBe(scimType);
  const { status, scimType: type, error } = scimError.parse(await answer.json());
  expect(status).toBe(String(answer.status));
  return { status: answer.status, type, code: error.code };
}

describe("O12: users", () => {
  test("are created as members, with a location, and are found again", async () => {
    const { send, make, roleOf } = await begin();
    const answer = await send("POST", users, ada);
    const user = scimUser.parse(await answer.clone().json());
    expect([answer.status, answer.headers.get("content-type")]).toEqual([201, scimType]);
    expect(answer.headers.get("location")).toBe(`http://localhost:8787${users}/${user.id}`);
    expect(user).toMatchObject({
      userName: "Ada@Example.org",
      externalId: "ext-1",
      displayName: "Ada Lovelace",
      name: { givenName: "Ada", familyName: "Lovelace" },
      active: true,
      emails: [{ value: "ada@example.org", primary: true }],
      meta: { resourceType: "User", location: answer.headers.get("location") },
    });
    expect(await (await send("GET", `${users}/${user.id}`)).json()).toEqual(user);
    expect(await roleOf(user.id)).toBe("member");
    const inactive = await make({ userName: "off", active: "False" });
    expect([inactive.active, await roleOf(inactive.id)]).toEqual([false, undefined]);
  });

  test("with a userName that exists, also in other letters, are refused with uniqueness", async () => {
    const { send, make } = await begin();
    await make();
    const refused = { status: 409, type: "uniqueness", code: "user_exists" };
    expect(await errorOf(await send("POST", users, { userName: "ADA@EXAMPLE.ORG" }))).toEqual(refused);
    const { id } = await make({ userName: "bob" });
    expect(await errorOf(await send("PUT", `${users}/${id}`, ada))).toEqual(refused);
    // Another organisation has names of its own.
    expect((await send("POST", users, ada, { key: keys.bob })).status).toBe(201);
  });

  test("are listed in pages, and filtered by userName, externalId, address and id", async () => {
    const { send, make, time } = await begin();
    const first = await make();
    for (const name of ["b", "c", "d"]) {
      time.nowMs += 1;
      await make({ userName: name });
    }
    const list = async (query: string) =>
      scimUserList.parse(await (await send("GET", `${users}?${new URLSearchParams(query)}`)).json());
    expect(await list("")).toMatchObject({ totalResults: 4, startIndex: 1, itemsPerPage: 4 });
    const page = await list("startIndex=3&count=1");
    expect([page.totalResults, page.startIndex, page.Resources.map(({ userName }) => userName)]).toEqual([4, 3, ["c"]]);
    expect(await list("startIndex=-5&count=0")).toMatchObject({ totalResults: 4, startIndex: 1, Resources: [] });
    expect((await list(`count=${identityLimits.scimPage + 1}`)).itemsPerPage).toBe(4);
    for (const filter of [
      'userName eq "ada@example.org"',
      'USERNAME EQ "Ada@Example.org"',
      'externalId eq "ext-1"',
      'emails.value eq "ada@example.org"',
      `id eq "${first.id}"`,
    ]) {
      const filtered = await send("GET", `${users}?filter=${encodeURIComponent(filter)}`);
      expect([filter, scimUserList.parse(await filtered.json()).Resources.map(({ id }) => id)]).toEqual([
        filter,
        [first.id],
      ]);
    }
    const none = await send("GET", `${users}?filter=${encodeURIComponent('userName eq "nobody"')}`);
    expect(await none.json()).toMatchObject({ totalResults: 0, Resources: [] });
  });

  test.each([
    'userName sw "a"',
    'userName eq "a" or userName eq "b"',
    "userName eq a",
    'password eq "a"',
    "(".repeat(500),
    'userName eq "\\x"',
  ])("are not filtered by %j: 400 invalidFilter", async (filter) => {
    const { send } = await begin();
    const answer = await send("GET", `${users}?filter=${encodeURIComponent(filter)}`);
    expect(await errorOf(answer)).toEqual({ status: 400, type: "invalidFilter", code: "invalid_field" });
  });

  test.each([
    [{ op: "replace", path: "active", value: false }, { active: false }],
    [{ op: "Replace", path: "active", value: "False" }, { active: false }],
    [{ op: "replace", value: { active: false } }, { active: false }],
    [{ op: "replace", path: "userName", value: "new" }, { userName: "new" }],
    [
      { op: "add", path: "name.givenName", value: "Augusta" },
      { name: { givenName: "Augusta", familyName: "Lovelace" } },
    ],
    [{ op: "replace", value: { "name.familyName": "King", displayName: "A. King" } }, { displayName: "A. King" }],
    [
      { op: "replace", path: 'emails[type eq "work"].value', value: "n@example.org" },
      { emails: [{ value: "n@example.org" }] },
    ],
    [{ op: "replace", path: "emails", value: [{ value: "e@example.org" }] }, { emails: [{ value: "e@example.org" }] }],
    [{ op: "remove", path: "emails" }, { emails: [] }],
    [
      { op: "replace", path: "urn:ietf:params:scim:schemas:core:2.0:User:displayName", value: "Full" },
      { displayName: "Full" },
    ],
    [
      { op: "add", path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager", value: "x" },
      { active: true },
    ],
  ])("are changed by %j", async (operation, expected) => {
    const { patch, make, send } = await begin();
    const { id } = await make();
    const answer = await patch(`${users}/${id}`, operation);
    expect(answer.status, await answer.clone().text()).toBe(200);
    expect(await answer.json()).toMatchObject(expected);
    expect(await (await send("GET", `${users}/${id}`)).json()).toMatchObject(expected);
  });

  test.each([
    [{ op: "replace", path: "active", value: "perhaps" }, "invalidValue"],
    [{ op: "replace", path: "userName", value: "" }, "invalidValue"],
    [{ op: "replace", path: "userName", value: "u".repeat(300) }, "invalidValue"],
    [{ op: "remove", path: "userName" }, "invalidValue"],
    [{ op: "remove" }, "invalidPath"],
    [{ op: "replace", path: "emails[[", value: "x" }, "invalidPath"],
    [{ op: "replace", value: "x" }, "invalidValue"],
    [{ op: "copy", path: "active", value: true }, "invalidValue"],
  ])("are not changed by %j, nor by what stands before it", async (operation, type) => {
    const { patch, make, send } = await begin();
    const before = await make();
    const answer = await patch(`${users}/${before.id}`, { op: "replace", path: "displayName", value: "x" }, operation);
    expect(await errorOf(answer)).toMatchObject({ status: 400, type });
    expect(await (await send("GET", `${users}/${before.id}`)).json()).toEqual(before);
  });

  test("lose membership, sessions and keys at once with a deactivation, and get a membership again", async () => {
    const { send, make, patch, database, time, roleOf } = await begin();
    const { id } = await make();
    const secret = `sbs_${"q".repeat(51)}`;
    const { cookie } = await addSession(database, id, { tenant: "ada", secret, nowMs: time.nowMs });
    const plain = { cookie, headers: { "sec-fetch-site": "same-origin", "content-type": "application/json" } };
    const created = await send("POST", "/v1/keys", { name: "k", scopes: ["sandboxes:read"] }, plain);
    const { key } = await created.json<{ key: string }>();
    expect((await send("GET", "/v1/sandboxes", undefined, { key })).status).toBe(200);
    expect((await patch(`${users}/${id}`, { op: "replace", path: "active", value: false })).status).toBe(200);
    expect((await send("GET", "/v1/sandboxes", undefined, { key })).status).toBe(401);
    expect((await send("GET", "/v1/me", undefined, { cookie })).status).toBe(401);
    expect(await roleOf(id)).toBeUndefined();
    const answer = await patch(`${users}/${id}`, { op: "replace", path: "active", value: true });
    expect(await answer.json()).toMatchObject({ id, active: true });
    expect(await roleOf(id)).toBe("member");
    expect((await send("GET", "/v1/sandboxes", undefined, { key })).status).toBe(401);
  });

  test("are deleted, and are 404 then", async () => {
    const { send, make, roleOf } = await begin();
    const { id } = await make();
    expect((await send("DELETE", `${users}/${id}`)).status).toBe(204);
    expect(await errorOf(await send("GET", `${users}/${id}`))).toEqual({
      status: 404,
      type: undefined,
      code: "not_found",
    });
    expect(await roleOf(id)).toBeUndefined();
    await make();
  });

  test("are 404 for another organisation, and people who are not managed are not shown", async () => {
    const { send, make, owner } = await begin();
    const { id } = await make();
    for (const path of [`${users}/${id}`, `${users}/${owner.id}`])
      expect((await send("GET", path, undefined, { key: path.endsWith(id) ? keys.bob : keys.ada })).status).toBe(404);
    expect(await (await send("GET", users, undefined, { key: keys.bob })).json()).toMatchObject({ totalResults: 0 });
  });

  test("are bounded by the members of an organisation", async () => {
    const { send, database } = await begin();
    const person = database.prepare("INSERT INTO people (id, name, created_at_ms) VALUES (?, 'x', 0)");
    const member = database.prepare("INSERT INTO members VALUES ('ada', ?, 'viewer', 0)");
    for (let at = 1; at < limits.members; at++) {
      person.run(`p${at}`);
      member.run(`p${at}`);
    }
    expect(await errorOf(await send("POST", users, ada))).toMatchObject({ status: 409, code: "too_many_members" });
  });

  test("are deactivated and deleted also as the last owner, because access must end", async () => {
    const { send, make, patch, database, roleOf } = await begin();
    const { id } = await make();
    database.exec("UPDATE members SET role = 'viewer' WHERE person_id LIKE 'usrown%'");
    const makeOwner = () => database.prepare("UPDATE members SET role = 'owner' WHERE person_id = ?").run(id);
    makeOwner();
    const off = await patch(`${users}/${id}`, { op: "replace", path: "active", value: false });
    expect([off.status, await roleOf(id)]).toEqual([200, undefined]);
    await patch(`${users}/${id}`, { op: "replace", path: "active", value: true });
    makeOwner();
    expect((await send("DELETE", `${users}/${id}`)).status).toBe(204);
    expect(await roleOf(id)).toBeUndefined();
  });
});

describe("O12: groups", () => {
  test("give their members roles by their names, which follow every change", async () => {
    const { make, makeGroup, patch, send, roleOf, service } = await begin();
    service.identity = {
      ...service.identity,
      sso: async () => ({
        ...{ tenantId: "ada", issuer: "i", clientId: "c", sealedSecret: "", role: "viewer", joins: true, domains: [] },
        groupRoles: { admins: "owner", devs: "member" },
      }),
    };
    const { id } = await make();
    expect(await roleOf(id)).toBe("viewer");
    const devs = await makeGroup("Devs", id);
    expect(devs.members).toEqual([{ value: id, display: "Ada Lovelace" }]);
    expect(await roleOf(id)).toBe("member");
    const admins = await makeGroup("ADMINS");
    await patch(`${groups}/${admins.id}`, { op: "add", path: "members", value: [{ value: id }] });
    expect(await roleOf(id)).toBe("owner");
    expect(await (await send("GET", `${users}/${id}`)).json()).toMatchObject({
      groups: [
        { value: admins.id, display: "ADMINS" },
        { value: devs.id, display: "Devs" },
      ],
    });
    // Inactive people get the role of their groups when they come back.
    await patch(`${users}/${id}`, { op: "replace", path: "active", value: false });
    await patch(`${users}/${id}`, { op: "replace", path: "active", value: true });
    expect(await roleOf(id)).toBe("owner");
    await patch(`${groups}/${admins.id}`, { op: "remove", path: `members[value eq "${id}"]` });
    expect(await roleOf(id)).toBe("member");
    await patch(`${groups}/${devs.id}`, { op: "replace", path: "displayName", value: "Guests" });
    expect(await roleOf(id)).toBe("viewer");
    await send("PUT", `${groups}/${devs.id}`, { displayName: "Devs", members: [{ value: id }] });
    expect(await roleOf(id)).toBe("member");
    expect((await send("DELETE", `${groups}/${devs.id}`)).status).toBe(204);
    expect(await roleOf(id)).toBe("viewer");
  });

  test("take the role of an owner only while somebody else, who is not managed, is one", async () => {
    const { make, makeGroup, send, roleOf, service, database } = await begin();
    const rule = { role: "viewer", joins: true, domains: [], groupRoles: { admins: "owner" } } as const;
    const sso = { ...rule, tenantId: "ada", issuer: "i", clientId: "c", sealedSecret: "" };
    service.identity = { ...service.identity, sso: async () => ({ ...sso, domains: [] }) };
    const { id } = await make();
    const { id: group } = await makeGroup("admins", id);
    database.exec("UPDATE members SET role = 'viewer' WHERE person_id LIKE 'usrown%'");
    await send("PUT", `${groups}/${group}`, { displayName: "admins", members: [] });
    expect(await roleOf(id)).toBe("owner");
  });

  test.each([
    [[{ op: "add", path: "members", value: { value: "ID" } }], ["ID"]],
    [[{ op: "add", value: { members: [{ value: "ID" }] } }], ["ID"]],
    [[{ op: "replace", path: "members", value: [{ value: "ID" }, { value: "ID" }] }], ["ID"]],
    [
      [
        { op: "add", path: "members", value: [{ value: "ID" }] },
        { op: "Remove", path: "members", value: [{ value: "ID" }] },
      ],
      [],
    ],
    [
      [
        { op: "add", path: "members", value: [{ value: "ID" }] },
        { op: "remove", path: "members" },
      ],
      [],
    ],
  ])("are changed by %j", async (operations, expected) => {
    const { make, makeGroup, patch } = await begin();
    const { id } = await make();
    const group = await makeGroup("g");
    const named = JSON.parse(JSON.stringify(operations).replaceAll("ID", id)) as object[];
    const answer = await patch(`${groups}/${group.id}`, ...named);
    const ids = scimGroup.parse(await answer.json()).members?.map(({ value }) => value);
    expect(ids).toEqual(expected.map(() => id));
  });

  test("are listed by displayName, without members on request, and have one name each", async () => {
    const { make, makeGroup, send } = await begin();
    const { id } = await make();
    await makeGroup("Devs", id);
    await makeGroup("Ops");
    const filter = encodeURIComponent('displayName eq "devs"');
    const list = await (await send("GET", `${groups}?filter=${filter}&excludedAttributes=members`)).json<{
      totalResults: number;
      Resources: { displayName: string; members?: unknown }[];
    }>();
    expect([list.totalResults, list.Resources[0]?.displayName, list.Resources[0]?.members]).toEqual([
      1,
      "Devs",
      undefined,
    ]);
    expect(await errorOf(await send("POST", groups, { displayName: "DEVS" }))).toMatchObject({ type: "uniqueness" });
  });

  test("refuse members whom the organisation does not have, and more members than one list may have", async () => {
    const { make, makeGroup, send, patch } = await begin();
    const { id } = await make();
    const { id: group } = await makeGroup("g", id);
    const foreign = scimUser.parse(await (await send("POST", users, ada, { key: keys.bob })).json());
    for (const value of [foreign.id, "nobody"]) {
      const answer = await patch(`${groups}/${group}`, { op: "add", path: "members", value: [{ value }] });
      expect(await errorOf(answer)).toMatchObject({ status: 400, type: "invalidValue" });
    }
    const many = Array.from({ length: identityLimits.scimValues + 1 }, (_, at) => ({ value: `usr${at}` }));
    expect((await send("POST", groups, { displayName: "h", members: many })).status).toBe(400);
  });
});

describe("O12: the interface", () => {
  test("says what it supports", async () => {
    const { send } = await begin();
    for (const path of ["ServiceProviderConfig", "ResourceTypes", "Schemas"])
      expect((await send("GET", `/v1/scim/v2/${path}`)).status).toBe(200);
    expect(await (await send("GET", "/v1/scim/v2/ServiceProviderConfig")).json()).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: identityLimits.scimPage },
    });
  });

  test.each([
    ["no key", { key: "" }, { status: 401, type: undefined, code: "unauthorized" }],
    ["a body that is not JSON", { body: "{" }, { status: 400, type: "invalidSyntax", code: "malformed_json" }],
    ["too many operations", { body: { Operations: Array(101).fill({ op: "add", value: {} }) } }, { status: 400 }],
    ["no user name", { body: {} }, { status: 400, type: "invalidValue" }],
  ])("answers %s with an error of SCIM", async (_, more: SendOptions, expected) => {
    const { send, make } = await begin();
    const { id } = await make();
    const isPatch = typeof more.body === "object" && more.body !== null && "Operations" in more.body;
    const answer = isPatch
      ? await send("PATCH", `${users}/${id}`, undefined, more)
      : await send("POST", users, ada, { headers: { "content-type": scimType }, ...more });
    expect(await errorOf(answer)).toMatchObject(expected);
  });
});
