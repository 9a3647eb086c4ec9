// The start of a watch, the forms of its events, and the resources that it holds, as the edge uses it.
import { base64Decode } from "@bufbuild/protobuf/wire";
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { internalHeaders, protobufStream } from "../../shared/contract/cluster-object.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { toProtobufEvent } from "../../shared/schema/protobuf/protobuf-object.ts";
import { handle } from "../../worker/api/handler.ts";
import type { WatchSpec } from "../../worker/api/verbs/watch-spec.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { nodeSql } from "../sqlite.ts";
import { adminToken, type Answered, configMap, core, newServer, refusal, type TestServer } from "./server.ts";
import { gearsV1, gearsV2, scalersV1, scalersV2, slices, withObjects } from "./shown-kinds.ts";

const path = `${core}/configmaps`;
const protobuf = { accept: "application/vnd.kubernetes.protobuf;stream=watch" };
const asTable = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const asMetadata = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" };
const streaming = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

type Headers = Readonly<Record<string, string>>;
type Options = NonNullable<Parameters<typeof newServer>[0]>;

interface WatchEvent {
  readonly type: string;
  readonly object: Answered;
}

/** Returns a quiet server and the specifications of joined watches. `isFull`: no further socket is allowed. */
function stillServer(options: Options = {}) {
  const joined: WatchSpec[] = [];
  const room = { isFull: false };
  const server = newServer({
    nodes: 0,
    controllers: [],
    service: () => ({
      sockets: {
        requireQuota: () => {
          if (room.isFull) throw ApiError.tooManyRequests("no room", 1);
        },
        hold: () => new Response("held"),
        followChanges: () => new Response("followed"),
        join: (spec) => {
          joined.push(JSON.parse(spec) as WatchSpec);
          return new Response("joined");
        },
      },
    }),
    ...options,
  });
  for (const { metadata } of server.cluster.client.list(configMaps))
    server.cluster.client.delete(configMaps, metadata.namespace ?? "", metadata.name ?? "");
  return { ...server, joined, room };
}

function put(
  { cluster }: Pick<TestServer, "cluster">,
  name: string,
  data: Record<string, string> = {},
  labels = {},
): void {
  cluster.client.create(configMaps, configMap(name, data, { namespace: "default", labels }));
}

function pull({ ask }: Pick<TestServer, "ask">, query: string, headers: Headers = {}, from = path) {
  return ask("GET", `${from}?watch=1${query}`, { headers: { [internalHeaders.watch]: "pull", ...headers } });
}

function join({ ask }: Pick<TestServer, "ask">, since: number, query = "", headers: Headers = {}) {
  const joinHeaders = { [internalHeaders.watch]: "join", [internalHeaders.since]: String(since) };
  return ask("GET", `${path}?watch=1${query}`, { headers: { ...joinHeaders, ...headers } });
}

function eventsOf(text: string): WatchEvent[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as WatchEvent);
}

function namesOf(text: string): (string | undefined)[] {
  return eventsOf(text).map(({ object }) => object.metadata.name);
}

/** Returns the response without reading it. */
function open({ service }: Pick<TestServer, "service">, query: string): Promise<Response> {
  const headers = { authorization: `Bearer ${adminToken}`, [internalHeaders.watch]: "pull" };
  return Promise.resolve(handle(service, new Request(`https://test${path}?watch=1${query}`, { headers })));
}

function nameOf(at: number): string {
  return `m-${String(at).padStart(5, "0")}`;
}

describe("options of a watch", () => {
  test.for([
    ["", true],
    ["&resourceVersion=0", true],
    ["&resourceVersion=1", false],
    ["&sendInitialEvents=true", false],
    ["&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=1", true],
  ] as const)("V1: a continue token and %s conflict: %s", async ([query, isRefused]) => {
    const { text } = await pull(stillServer(), `&continue=x${query}`);
    expect(text.includes("resourceVersionMatch is forbidden when continue is provided")).toBe(isRefused);
    if (isRefused) expect(JSON.parse(text)).toMatchObject({ code: 422 });
    expect(text.includes('ListOptions.meta.k8s.io \\"\\" is invalid')).toBe(query !== "&resourceVersion=1");
  });

  test.for([
    ["metadata.name=b", 200],
    ["metadata.namespace=default,metadata.name=b", 200],
    ["metadata.name!=b", 400],
    ["metadata.namespace=b", 400],
    ["metadata.namespace!=b", 400],
  ] as const)(
    "V1: the deprecated path of one object answers the field selector %s with %i",
    async ([selector, expected]) => {
      const server = stillServer();
      for (const name of ["a", "b"]) put(server, name);
      const from = `/api/v1/watch/namespaces/default/configmaps/b?fieldSelector=${encodeURIComponent(selector)}`;
      const { code, text } = await server.ask("GET", from, { headers: { [internalHeaders.watch]: "pull" } });
      expect(code).toBe(expected);
      if (code === 200) expect(namesOf(text)).toEqual(["b"]);
    },
  );

  test("V3: initial events are served at the newest revision, and refused after it for a watch that continues", async () => {
    const server = stillServer();
    put(server, "a");
    const { revision } = server.cluster.registry.store;
    const types = async (version: number, headers: Headers = {}) => {
      const { text } = await pull(server, `&${streaming}&resourceVersion=${version}`, headers);
      return eventsOf(text).map(({ type }) => type);
    };
    expect(await types(revision)).toEqual(["ADDED", "BOOKMARK"]);
    expect(await types(revision + 1)).toEqual(["ERROR"]);
    expect(await types(revision + 1, { [internalHeaders.since]: String(revision - 1) })).toEqual(["ADDED"]);
  });

  test("V2: includeObject is validated for Tables only", async () => {
    const server = stillServer();
    for (const [headers, code] of [
      [{}, 200],
      [asMetadata, 200],
      [asTable, 400],
    ] as const)
      expect((await pull(server, "&includeObject=Some", headers)).code).toBe(code);
  });

  test("V2: a kind without protobuf cannot be watched in it", async () => {
    const server = await withObjects();
    expect((await pull(server, "", protobuf, gearsV1)).code).toBe(406);
    expect((await pull(server, "", protobuf, scalersV1)).code).toBe(200);
  });
});

describe("a join of live events", () => {
  test("W5: needs a free slot before anything is read, and a continued watch keeps its slot", async () => {
    const server = stillServer();
    const { revision } = server.cluster.registry.store;
    server.room.isFull = true;
    expect([(await pull(server, "")).code, (await join(server, revision)).code]).toEqual([429, 429]);
    expect((await pull(server, "", { [internalHeaders.since]: String(revision) })).code).toBe(200);
    server.room.isFull = false;
    expect([(await pull(server, "")).code, (await join(server, revision)).code]).toEqual([200, 200]);
  });

  test("V1: is refused without sockets, where a watch is only pulled", async () => {
    const server = stillServer({ service: () => ({}) });
    put(server, "a");
    expect(namesOf((await pull(server, "")).text)).toEqual(["a"]);
    expect(refusal(await join(server, server.cluster.registry.store.revision))).toMatchObject({
      code: 400,
      message: "watches cannot be joined here",
    });
  });

  test("W1: shares its spec with equal watches at any revision, unless it waits for a revision", async () => {
    const server = stillServer();
    const { store } = server.cluster.registry;
    await join(server, store.revision);
    put(server, "a");
    await join(server, store.revision);
    await join(server, store.revision - 1);
    await join(server, store.revision + 1);
    const [first, ...otherSpecs] = server.joined;
    expect(first).not.toHaveProperty("after");
    expect(otherSpecs).toEqual([first, first, { ...first, after: store.revision + 1 }]);
  });

  test("W1: has the requested format", async () => {
    const server = stillServer();
    const { revision } = server.cluster.registry.store;
    for (const headers of [{}, protobuf, asTable, asMetadata]) await join(server, revision, "", headers);
    expect(server.joined.map(({ encoding, as, includeObject }) => [encoding, as?.kind, includeObject])).toEqual([
      [undefined, undefined, undefined],
      ["protobuf", undefined, undefined],
      [undefined, "Table", "Metadata"],
      [undefined, "PartialObjectMetadata", undefined],
    ]);
  });

  test("S5: at the compacted revision catches up on all later changes", async () => {
    const server = stillServer();
    const { store } = server.cluster.registry;
    const { revision } = store;
    put(server, "a");
    store.compact(revision);
    expect(store.compacted).toBe(revision);
    expect([(await join(server, revision)).code, (await join(server, revision - 1)).code]).toEqual([200, 410]);
  });

  test("W5: is refused with too many changes for a socket, and the edge pulls", async () => {
    const server = stillServer();
    const { revision } = server.cluster.registry.store;
    const long = "x".repeat(300_000);
    for (let at = 0; at * long.length <= limits.watchJoinBytes; at++) put(server, nameOf(at), { long });
    expect(refusal(await join(server, revision))).toMatchObject({ status: 409, reason: "Conflict" });
    expect(server.joined).toEqual([]);
    expect((await join(server, revision + 1, "&labelSelector=none")).code).toBe(200);
  });
});

describe("formats of watch events", () => {
  test.for([path, slices, scalersV1, scalersV2, gearsV1, gearsV2])(
    "W1: an event of %s contains the same object as a single read for initial, added and deleted objects",
    async (from) => {
      const server = await withObjects();
      const { ask, cluster } = server;
      const alone = (await ask("GET", `${from}/a`)).body;
      const first = await pull(server, "&labelSelector=mine", {}, from);
      expect(eventsOf(first.text)).toContainEqual({ type: "ADDED", object: alone });
      expect((await pull(server, "", {}, from)).text).toContain(JSON.stringify({ type: "ADDED", object: alone }));
      const since = cluster.registry.store.revision;
      const headers = { "content-type": "application/merge-patch+json" };
      await ask("PATCH", `${from}/a`, { body: { metadata: { labels: { more: "yes" } } }, headers });
      const changed = (await ask("GET", `${from}/a`)).body;
      await ask("DELETE", `${from}/a`);
      const gone = String(Number(changed.metadata.resourceVersion) + 1);
      const { text } = await pull(server, `&resourceVersion=${since}&fieldSelector=metadata.name%3Da`, {}, from);
      expect(eventsOf(text)).toEqual([
        { type: "MODIFIED", object: changed },
        { type: "DELETED", object: { ...changed, metadata: { ...changed.metadata, resourceVersion: gone } } },
      ]);
    },
  );

  test.for([path, scalersV1, scalersV2])(
    "W1: protobuf events of %s are lines of base64 with the same contents",
    async (from) => {
      const server = await withObjects();
      const since = server.cluster.registry.store.revision;
      const headers = { "content-type": "application/merge-patch+json" };
      await server.ask("PATCH", `${from}/b`, { body: { metadata: { labels: { more: "yes" } } }, headers });
      for (const query of ["", `&resourceVersion=${since}`]) {
        const all = `&labelSelector=mine&allowWatchBookmarks=true${query}`;
        const json = await pull(server, all, {}, from);
        const { text, headers: responseHeaders } = await pull(server, all, protobuf, from);
        const events = eventsOf(json.text).map(({ type, object }) => Buffer.from(toProtobufEvent(type, object)));
        const lines = text.split("\n").filter(Boolean);
        expect(lines.map((line) => Buffer.from(base64Decode(line)))).toEqual(events);
        expect(lines.length).toBe(query === "" ? 3 : 1);
        expect([responseHeaders.get("content-type"), json.headers.get("content-type")]).toEqual([
          protobufStream,
          "application/json",
        ]);
      }
    },
  );

  test("W1: a bookmark has the path's version and only its revision, in every format", async () => {
    const server = await withObjects();
    const { revision } = server.cluster.registry.store;
    const metadata = { resourceVersion: String(revision), annotations: { "k8s.io/initial-events-end": "true" } };
    for (const [from, apiVersion, kind] of [
      [path, "v1", "ConfigMap"],
      [scalersV1, "autoscaling/v1", "HorizontalPodAutoscaler"],
      [scalersV2, "autoscaling/v2", "HorizontalPodAutoscaler"],
      [gearsV2, "example.com/v2", "Gear"],
    ] as const) {
      const plain = eventsOf((await pull(server, `&${streaming}`, {}, from)).text).at(-1);
      expect(plain).toEqual({ type: "BOOKMARK", object: { kind, apiVersion, metadata } });
      const small = eventsOf((await pull(server, `&${streaming}`, asMetadata, from)).text).at(-1);
      expect(small).toMatchObject({ type: "BOOKMARK", object: { kind: "PartialObjectMetadata", metadata } });
      const row = eventsOf((await pull(server, `&${streaming}`, asTable, from)).text).at(-1);
      expect(row).toMatchObject({ type: "BOOKMARK", object: { kind: "Table", rows: [{ object: { metadata } }] } });
    }
  });

  test("W1: the row of a bookmark has a cell for each column", async () => {
    const server = await withObjects();
    for (const from of [path, scalersV1, `${core}/pods`, `${core}/services`]) {
      const [row] = eventsOf((await pull(server, `&${streaming}&labelSelector=none`, asTable, from)).text);
      expect(row?.object.rows[0]?.cells).toHaveLength(row?.object.columnDefinitions.length ?? 0);
    }
  });

  test("W1: a row contains the requested object", async () => {
    const server = stillServer();
    put(server, "a", { k: "v" });
    const object = async (query: string) =>
      eventsOf((await pull(server, query, asTable)).text)[0]?.object.rows[0]?.object;
    expect(await object("&includeObject=Object")).toMatchObject({ kind: "ConfigMap", data: { k: "v" } });
    expect(await object("&includeObject=None")).toBeNull();
    expect(await object("")).toMatchObject({ kind: "PartialObjectMetadata" });
  });

  test("W1: columns are sent for Tables only, in the first event, and in ASCII to the edge", async () => {
    const server = stillServer();
    put(server, "a");
    put(server, "b", {}, { mine: "yes" });
    const [first] = eventsOf((await pull(server, "&labelSelector=mine", asTable)).text);
    expect(first?.object.columnDefinitions).toHaveLength(3);
    for (const headers of [{}, asMetadata])
      expect((await pull(server, "&labelSelector=none", headers)).headers.has(internalHeaders.columns)).toBe(false);
    const columnsOf = async (of: Pick<TestServer, "ask">, from: string) => {
      const { headers } = await pull(of, "&labelSelector=none", asTable, from);
      const columns = headers.get(internalHeaders.columns) ?? "";
      expect(columns).toMatch(/^[\x20-\x7e]+$/);
      return (JSON.parse(columns) as { name: string }[]).map(({ name }) => name);
    };
    expect(await columnsOf(server, path)).toEqual(["Name", "Data", "Age"]);
    expect(await columnsOf(await withObjects(), gearsV1)).toEqual(["Name", "Größe"]);
  });
});

describe("a pulled body", () => {
  test("W1: contains each object once, over more than a page and a chunk", async () => {
    const server = stillServer();
    const count = limits.listPageObjects + 20;
    for (let at = 0; at < count; at++) put(server, nameOf(at), { some: "x".repeat(500) });
    let text = "";
    let chunks = 0;
    for await (const chunk of (await open(server, "")).body ?? []) {
      expect((chunk as Uint8Array).length).toBeGreaterThan(0);
      text += new TextDecoder().decode(chunk as Uint8Array);
      // An endless watch is not read further.
      if (++chunks > count) break;
    }
    expect(namesOf(text)).toEqual(Array.from({ length: count }, (_, at) => nameOf(at)));
    expect(chunks).toBeGreaterThan(1);
    expect(chunks).toBeLessThan(count / 10);
  });

  test("W1: ends at its stated revision, without writes that happen while it is read", async () => {
    const server = stillServer();
    const { store } = server.cluster.registry;
    const since = store.revision;
    const long = "x".repeat(100_000);
    const count = Math.ceil((1.5 * limits.changeBatchBytes) / long.length);
    for (let at = 0; at < count; at++) put(server, nameOf(at), { long });
    const answer = await open(server, `&resourceVersion=${since}`);
    expect(answer.headers.get(internalHeaders.revision)).toBe(String(store.revision));
    put(server, "z-late");
    expect(namesOf(await answer.text())).toEqual(Array.from({ length: count }, (_, at) => nameOf(at)));
  });

  test("W5: holds nothing after it was read to its end, refused, or abandoned", async () => {
    const server = stillServer({ limits: { reads: 1 } });
    for (let at = 0; at < 3; at++) put(server, nameOf(at), { long: "x".repeat(100_000) });
    const { store } = server.cluster.registry;
    for (let round = 0; round < 2; round++) {
      const read = await open(server, "");
      expect((await open(server, "")).status).toBe(429);
      expect(namesOf(await read.text())).toHaveLength(3);
      await (await open(server, "")).body?.cancel();
    }
    put(server, "z");
    store.compact(store.revision);
    expect(store.compacted).toBe(store.revision);
    expect((await pull(server, "&resourceVersion=1")).text).toContain('"Expired"');
    expect((await open(server, "")).status).toBe(200);
  });

  test("W5: holds nothing after it broke off", async () => {
    const sql = nodeSql();
    const server = stillServer({ limits: { reads: 1 }, sql });
    for (let at = 0; at < limits.listPageObjects + 1; at++) put(server, nameOf(at), { some: "x".repeat(500) });
    const failing = await open(server, "");
    sql.run("ALTER TABLE objects RENAME TO elsewhere");
    await expect(failing.text()).rejects.toThrow("no such table");
    sql.run("ALTER TABLE elsewhere RENAME TO objects");
    expect((await open(server, "")).status).toBe(200);
  });
});
