// Lists: all have the same parameters, refuse others, and their pages have every entry once.
import { describe, expect, test } from "vitest";
import { routes } from "../../worker/edge/control-api/control-api.ts";
import { document } from "./documented.ts";
import { newService } from "./service.ts";

/** Those with parameters of their own: Kubernetes' list, and lists that are read step by step. */
const ownPaging = ["listAuditEvents", "listChanges", "listCommands", "listOperatorsAudit"];
/** SCIM has its own parameters: `startIndex`, `count` and `filter`. */
const isOwnList = ({ id, path }: { readonly id: string; readonly path: string }) =>
  ownPaging.includes(id) || path.startsWith("/v1/scim/");
const lists = routes.filter((route) => route.method === "GET" && route.id.startsWith("list") && !isOwnList(route));
const parametersOf = (path: string) => (document.paths[path]?.["get"]?.parameters ?? []).map(({ name }) => name);

test("I12: every list has a limit and a cursor", () => {
  expect(lists.length).toBeGreaterThan(18);
  for (const { id, path } of lists)
    expect([id, parametersOf(path)]).toEqual([id, expect.arrayContaining(["limit", "cursor"])]);
  for (const { id, path, list } of lists.filter(({ list }) => list)) {
    expect([id, parametersOf(path)]).toEqual([id, expect.arrayContaining(["sort", ...(list?.filter ?? [])])]);
  }
});

const plain = lists
  .filter(({ path, access }) => !path.includes("{") && access.kind === "scope")
  .map(({ path }) => path);

test.each(plain)(
  "I12: %s refuses a parameter that it does not know, a sort, a limit and a cursor that are none",
  async (path) => {
    const { send } = await newService();
    for (const [query, field] of [
      ["limit=0", "limit"],
      ["limit=x", "limit"],
      ["colour=red", "colour"],
      ["cursor=%25", "cursor"],
      ...(parametersOf(path).includes("sort") ? [["sort=colour", "sort"] as const] : []),
    ] as const) {
      const answer = await send("GET", `${path}?${query}`);
      expect([query, answer.status, (await answer.json<{ error: { field: string } }>()).error.field]).toEqual([
        query,
        400,
        field,
      ]);
    }
  },
);

describe("pages", () => {
  async function begin() {
    const { send, time } = await newService();
    for (const name of ["b", "d", "a", "c", "b"]) {
      time.nowMs += 1000;
      expect((await send("POST", "/v1/keys", { body: { name, scopes: ["keys:read"] } })).status).toBe(201);
    }
    const page = async (query: string) =>
      (await send("GET", `/v1/keys?${query}`)).json<{ keys: { id: string; name: string }[]; nextCursor?: string }>();
    const all = async (query: string, between?: (id: string) => Promise<unknown>) => {
      const names: string[] = [];
      for (let cursor: string | undefined = ""; cursor !== undefined; ) {
        const next: Awaited<ReturnType<typeof page>> = await page(
          `${query}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
        );
        names.push(...next.keys.map(({ name }) => name));
        await between?.(next.keys.at(-1)?.id ?? "");
        cursor = next.nextCursor;
      }
      return names;
    };
    return { send, page, all };
  }

  test.each([
    ["limit=2", ["b", "c", "a", "d", "b", "operator"]],
    ["limit=2&sort=createdAt", ["operator", "b", "d", "a", "c", "b"]],
    ["limit=1&sort=name", ["a", "b", "b", "c", "d", "operator"]],
    ["limit=3&sort=-name", ["operator", "d", "c", "b", "b", "a"]],
    ["limit=1&name=b", ["b", "b"]],
    ["limit=6", ["b", "c", "a", "d", "b", "operator"]],
  ])("I12: %s has every entry once, in order", async (query, names) => {
    const { all } = await begin();
    expect(await all(query)).toEqual(names);
  });

  test("I12: an entry that is gone between two pages makes none come twice or not at all", async () => {
    const { all, send } = await begin();
    expect(
      await all("limit=2&sort=createdAt", async (id) => (id ? send("DELETE", `/v1/keys/${id}`) : undefined)),
    ).toContain("c");
  });

  test("I12: a cursor of another sort is refused", async () => {
    const { page, send } = await begin();
    const { nextCursor = "" } = await page("limit=1&sort=name");
    const answer = await send("GET", `/v1/keys?limit=1&cursor=${encodeURIComponent(nextCursor)}`);
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { field: "cursor" } }]);
  });

  test("I12: sandboxes are listed the oldest first, too, in pages", async () => {
    const { send, time } = await newService();
    for (const name of ["a", "b", "c"]) {
      time.nowMs += 1000;
      await send("POST", "/v1/sandboxes", { body: { name } });
    }
    const page = async (query: string) =>
      (await send("GET", `/v1/sandboxes?limit=2&sort=createdAt${query}`)).json<{
        sandboxes: { name: string }[];
        nextCursor?: string;
      }>();
    const first = await page("");
    const second = await page(`&cursor=${first.nextCursor}`);
    expect([...first.sandboxes, ...second.sandboxes].map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(second.nextCursor).toBeUndefined();
  });
});
