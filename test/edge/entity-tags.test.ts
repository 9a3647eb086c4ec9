// ETags: every resource that one GET returns and another method of its path changes has one, and no write gets past another's tag.
import { describe, expect, test } from "vitest";
import { Sandbar } from "../../client/index.ts";
import { controlApiApp, routes } from "../../worker/edge/control-api/control-api.ts";
import { readerOf } from "../../worker/edge/control-api/route.ts";
import { ResourceLocks } from "../../worker/tenant/locks.ts";
import { addKey } from "./people.ts";
import { keys, newService } from "./service.ts";

async function begin() {
  const bed = await newService();
  const answer = await bed.send("POST", "/v1/sandboxes", { body: { name: "demo" } });
  const { id } = await answer.json<{ id: string }>();
  await bed.settled();
  const path = `/v1/sandboxes/${id}`;
  const tag = async (options = {}) => (await bed.send("GET", path, options)).headers.get("etag") ?? "";
  return { ...bed, id, path, tag };
}

const codeOf = async (answer: Response) => [
  answer.status,
  (await answer.json<{ error: { code: string } }>()).error.code,
];

test("I11: the routes that change a resource which a GET of their path returns check `If-Match`, but for those listed", () => {
  const unversioned = routes
    .filter(
      ({ method, path }) =>
        method !== "POST" &&
        method !== "GET" &&
        routes.some((reader) => reader.method === "GET" && reader.path === path),
    )
    .filter((route) => readerOf(route, routes) === undefined)
    // SCIM has a form of its own for versions, which no provider here needs.
    .filter(({ path }) => !path.startsWith("/v1/scim/"))
    .map(({ id }) => id);
  // A list; what a fault has done changes with every request; a backup is restored into an empty service.
  expect(unversioned.sort()).toEqual(["deleteFaults", "deleteSandboxes", "restoreFile", "setFaults"]);
});

describe("If-None-Match", () => {
  test("I11: a client that has the representation gets 304 without a body, until anything in it changes", async () => {
    const { send, path, tag, service, id } = await begin();
    const etag = await tag();
    expect(etag).toMatch(/^"[0-9a-f]{16}-[0-9a-f]{16}"$/);
    const headers = { "if-none-match": `"other", W/${etag}` };
    const same = await send("GET", path, { headers });
    expect([same.status, await same.text(), same.headers.get("etag")]).toEqual([304, "", etag]);
    expect((await send("GET", path, { headers: { "if-none-match": "*" } })).status).toBe(304);
    await service.tenant("ada").markMade(id, { isReady: true, isPaused: false });
    expect((await send("GET", path, { headers })).status).toBe(200);
  });

  test("I11: the kubeconfig and lists have none", async () => {
    const { send, path } = await begin();
    for (const [of, headers] of [
      [path, { accept: "application/yaml" }],
      ["/v1/sandboxes", {}],
    ] as const)
      expect((await send("GET", of, { headers })).headers.get("etag")).toBeNull();
  });
});

describe("If-Match", () => {
  test("I11: a change with the current tag is made and answers the next tag; with an older one it is 412 and changes nothing", async () => {
    const { send, path, tag } = await begin();
    const first = await tag();
    const changed = await send("PATCH", path, { body: { name: "a" }, headers: { "if-match": first } });
    expect([changed.status, changed.headers.get("etag")]).toEqual([200, await tag()]);
    const late = await send("PATCH", path, { body: { name: "b" }, headers: { "if-match": first } });
    expect([late.headers.get("etag"), ...(await codeOf(late))]).toEqual([await tag(), 412, "precondition_failed"]);
    const deletion = await send("DELETE", path, { headers: { "if-match": first } });
    expect(await codeOf(deletion)).toEqual([412, "precondition_failed"]);
    expect(await (await send("GET", path)).json()).toMatchObject({ name: "a" });
    expect((await send("DELETE", path, { headers: { "if-match": `"x", ${await tag()}` } })).status).toBe(204);
  });

  test("I11: fields that change without a request, or that another scope shows, do not count", async () => {
    const { send, path, tag, service, id, database } = await begin();
    const reader = await addKey(database, "ada", "reader", ["sandboxes:read"]);
    const etag = await tag({ key: reader });
    await service.tenant("ada").markMade(id, { isReady: true, isPaused: false });
    expect(await tag()).not.toBe(etag);
    expect((await send("PATCH", path, { body: { name: "a" }, headers: { "if-match": etag } })).status).toBe(200);
  });

  test("I11: only the first of many changes at once with the same tag is made", async () => {
    const { send, path, tag, service } = await begin();
    service.wait = () => new Promise((done) => void setTimeout(done, 1));
    const headers = { "if-match": await tag() };
    const names = Array.from({ length: 8 }, (_, at) => `n${at}`);
    const answers = await Promise.all(names.map((name) => send("PATCH", path, { body: { name }, headers })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...names.slice(1).map(() => 412)]);
  });

  test("I11: a request that is interrupted holds the resource for a bounded time", () => {
    const locks = new ResourceLocks();
    expect([locks.hold("a", "1", 0), locks.hold("a", "2", 1), locks.hold("b", "2", 1)]).toEqual([true, false, true]);
    locks.release("a", "2");
    expect(locks.hold("a", "3", 89_999)).toBe(false);
    expect(locks.hold("a", "3", 90_000)).toBe(true);
  });

  test("I11: `*` holds for what exists, and what does not exist is 404", async () => {
    const { send, path } = await begin();
    const headers = { "if-match": "*" };
    expect((await send("PATCH", path, { body: { name: "a" }, headers })).status).toBe(200);
    expect((await send("PATCH", `/v1/sandboxes/${"a".repeat(26)}`, { body: { name: "a" }, headers })).status).toBe(404);
  });

  test("I11: a malformed tag is 400, and so is a tag for a resource without one", async () => {
    const { send, path } = await begin();
    for (const value of ["a1b2", '"a', "", '"a" "b"'])
      expect(await codeOf(await send("PATCH", path, { body: {}, headers: { "if-match": value } }))).toEqual([
        400,
        "invalid_field",
      ]);
    const { id } = await (await send("POST", "/v1/keys", { body: { name: "k", scopes: ["keys:read"] } })).json<{
      id: string;
    }>();
    const answer = await send("DELETE", `/v1/keys/${id}`, { headers: { "if-match": '"a"' } });
    expect(await answer.json()).toMatchObject({ status: 400, error: { field: "If-Match" } });
  });

  test("I11: settings of an organisation, webhooks and an operator's tenant have it, too", async () => {
    const { send } = await begin();
    const { id } = await (await send("POST", "/v1/webhooks", { body: { url: "https://hooks.example.com/" } })).json<{
      id: string;
    }>();
    for (const [path, body, key] of [
      ["/v1/tenant", { name: "b" }, keys.ada],
      [`/v1/webhooks/${id}`, { enabled: false }, keys.ada],
      ["/v1/admin/tenants/ada", { plan: "free" }, keys.operator],
    ] as const) {
      const etag = (await send("GET", path, { key })).headers.get("etag") ?? "";
      const statuses: number[] = [];
      for (let times = 0; times < 2; times++)
        statuses.push((await send("PATCH", path, { body, key, headers: { "if-match": etag } })).status);
      expect([path, ...statuses]).toEqual([path, 200, 412]);
    }
  });
});

test("I11: the client reads a resource with its tag, and writes with it", async () => {
  const { service, id } = await begin();
  const fetch = (async (input: string, init?: RequestInit) =>
    controlApiApp.fetch(new Request(input, init), { controlApi: service })) as typeof globalThis.fetch;
  const client = new Sandbar({ url: "http://localhost:8787", key: keys.ada, fetch });
  const { value, etag } = await client.withEtag((reader) => reader.getSandbox(id));
  expect(value.name).toBe("demo");
  expect((await client.ifMatch(etag).changeSandbox(id, { name: "a" })).name).toBe("a");
  await expect(client.ifMatch(etag).changeSandbox(id, { name: "b" })).rejects.toMatchObject({
    status: 412,
    code: "precondition_failed",
  });
});
