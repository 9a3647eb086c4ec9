// The responses to a watch in the Durable Object: pulls, revisions, forms, and the catch-up of a join.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { internalHeaders } from "../../shared/contract/cluster-object.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { Load } from "../../worker/api/filters/load.ts";
import { handle } from "../../worker/api/handler.ts";
import type { ApiServer } from "../../worker/api/api-server.ts";
import { rendererOf, type WatchSpec } from "../../worker/api/verbs/watch-spec.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { newCluster, type TestCluster } from "../cluster.ts";
import { nodeSql } from "../sqlite.ts";

interface WatchEvent {
  readonly type: string;
  readonly object: KubeObject & { readonly code?: number };
}

const asTable = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };
const asMetadata = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" };
const listPath = "/api/v1/namespaces/default/configmaps";

function newApi() {
  const sql = nodeSql();
  const cluster = newCluster({ sql, controllers: [], nodes: 0 });
  // Initial objects do not matter for these tests.
  for (const { metadata } of cluster.client.list(configMaps)) {
    cluster.client.delete(configMaps, metadata.namespace ?? "", metadata.name ?? "");
  }
  const joins: { spec: WatchSpec; revision: number; catchUp: string }[] = [];
  const server: ApiServer = {
    registry: cluster.registry,
    authenticate: () => ({ user: { name: "admin", groups: ["system:masters"] }, readOnly: false }),
    key: cluster.key,
    nowMs: () => cluster.clock.nowMs(),
    load: new Load(() => 0),
    turn: (body) => body(),
    sockets: {
      requireQuota: () => undefined,
      join: (spec, revision, catchUp) => {
        joins.push({ spec: JSON.parse(spec) as WatchSpec, revision, catchUp });
        return new Response("joined");
      },
      hold: () => new Response("held"),
      followChanges: () => new Response("followed"),
    },
    report: (error) => {
      throw error;
    },
  };
  const send = (path: string, headers: Record<string, string> = {}) =>
    handle(server, new Request(`https://host${path}`, { headers: { authorization: "Bearer x", ...headers } }));
  return {
    ...cluster,
    sql,
    joins,
    send,
    pull: async (path: string, headers: Record<string, string> = {}) => {
      const answer = await send(path, { [internalHeaders.watch]: "pull", ...headers });
      const text = await answer.text();
      const isWatch = answer.headers.has(internalHeaders.revision);
      // A watch sends one event per line.
      const events = isWatch
        ? text
            .split("\n")
            .filter(Boolean)
            .map((line) => JSON.parse(line) as WatchEvent)
        : [];
      return { status: answer.status, headers: answer.headers, text, events, brief: events.map(brief) };
    },
    join: (path: string, since: number) =>
      send(path, { [internalHeaders.watch]: "join", [internalHeaders.since]: String(since) }),
    put: (name: string, labels: Record<string, string> = {}, namespace = "default") =>
      put(cluster, name, labels, namespace),
    putLong: (name: string) =>
      cluster.client.create(configMaps, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, namespace: "default" },
        data: { long: "x".repeat(70_000) },
      }),
    remove: (name: string) => cluster.client.delete(configMaps, "default", name),
    revision: () => cluster.registry.store.revision,
  };
}

describe("the start of a watch", () => {
  test.for(["", "&resourceVersion=", "&resourceVersion=0"])(
    "W1: is the list of existing objects with watch=1%s",
    async (query) => {
      const api = newApi();
      api.put("b");
      api.put("a");
      const { status, brief, headers } = await api.pull(`${listPath}?watch=1${query}`);
      expect([status, brief]).toEqual([200, ["ADDED a", "ADDED b"]]);
      expect(headers.get(internalHeaders.revision)).toBe(String(api.revision()));
    },
  );

  test("W1: after a revision is the changes since then, with their types and revisions", async () => {
    const api = newApi();
    api.put("a");
    const since = api.revision();
    api.put("a", { color: "red" });
    api.put("b");
    api.remove("a");
    const { events, brief } = await api.pull(`${listPath}?watch=1&resourceVersion=${since}`);
    expect(brief).toEqual(["MODIFIED a", "ADDED b", "DELETED a"]);
    expect(events.map(({ object }) => Number(object.metadata.resourceVersion) - since)).toEqual([1, 2, 3]);
  });

  test("W1: at a future revision waits for it, and shows no change before it", async () => {
    const api = newApi();
    const ahead = api.revision() + 2;
    const { status, brief, headers } = await api.pull(`${listPath}?watch=1&resourceVersion=${ahead}`);
    expect([status, brief, headers.get(internalHeaders.revision)]).toEqual([200, [], String(ahead)]);
    await api.join(`${listPath}?watch=1&resourceVersion=${ahead}`, ahead);
    const [{ spec } = { spec: {} as WatchSpec }] = api.joins;
    const renderer = rendererOf(api.registry.catalogue, api.registry.store.meter, spec);
    for (const name of ["a", "b", "c"]) api.put(name);
    const isSelected = api.changes.slice(-3).map((change) => renderer.change(change, 0) !== undefined);
    expect(isSelected).toEqual([false, false, true]);
  });

  test.for<[string, Record<string, string>]>([
    ["JSON", {}],
    ["Tables", asTable],
    ["metadata", asMetadata],
    ["protobuf", { accept: "application/vnd.kubernetes.protobuf;stream=watch" }],
  ])(
    "W3: at a compacted revision as %s succeeds, and then sends an ERROR event with 410 Expired",
    async ([, accept]) => {
      const api = newApi();
      const since = api.revision();
      api.put("a");
      api.put("a", { color: "red" });
      api.registry.store.compact(since + 1);
      const { status, events, headers } = await api.pull(`${listPath}?watch=1&resourceVersion=${since}`, accept);
      const message = `too old resource version: ${since} (${since + 1})`;
      expect([status, headers.has(internalHeaders.ended)]).toEqual([200, true]);
      expect(events).toEqual([
        {
          type: "ERROR",
          object: {
            kind: "Status",
            apiVersion: "v1",
            metadata: {},
            status: "Failure",
            message,
            reason: "Expired",
            code: 410,
          },
        },
      ]);
    },
  );

  test("W3: at the first revision after compaction is served, and a continued watch from a compacted one is a 410 to the edge", async () => {
    const api = newApi();
    const since = api.revision();
    api.put("a");
    api.put("a", { color: "red" });
    api.registry.store.compact(since + 1);
    expect((await api.pull(`${listPath}?watch=1&resourceVersion=${since + 1}`)).brief).toEqual(["MODIFIED a"]);
    expect((await api.join(`${listPath}?watch=1`, since)).status).toBe(410);
    const again = await api.pull(`${listPath}?watch=1`, { [internalHeaders.since]: String(since) });
    expect([again.status, JSON.parse(again.text)]).toMatchObject([410, { reason: "Expired" }]);
  });

  test("V1: at an invalid revision is refused", async () => {
    const { status, text } = await newApi().pull(`${listPath}?watch=1&resourceVersion=x`);
    expect([status, text]).toEqual([400, expect.stringContaining("invalid syntax")]);
  });
});

describe("initial events and bookmarks", () => {
  const streaming = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

  test("W1: with sendInitialEvents end with an annotated bookmark at the list's revision", async () => {
    const api = newApi();
    api.put("a");
    const { events } = await api.pull(`${listPath}?${streaming}`);
    expect(events.map(({ type }) => type)).toEqual(["ADDED", "BOOKMARK"]);
    expect(events[1]?.object).toMatchObject({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { resourceVersion: String(api.revision()), annotations: { "k8s.io/initial-events-end": "true" } },
    });
  });

  test("W1: without sendInitialEvents end with a bookmark only if bookmarks are allowed", async () => {
    const api = newApi();
    expect((await api.pull(`${listPath}?watch=1&allowWatchBookmarks=true`)).brief).toEqual(["BOOKMARK "]);
    expect((await api.pull(`${listPath}?watch=1`)).brief).toEqual([]);
    expect((await api.pull(`${listPath}?allowWatchBookmarks=false&${streaming}`)).brief).toEqual([]);
  });

  test("W1: are omitted for sendInitialEvents=false, which starts now or after the given revision", async () => {
    const api = newApi();
    const since = api.revision();
    api.put("a");
    const from = (version: string) =>
      api.pull(
        `${listPath}?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=${version}`,
      );
    expect([(await from("")).brief, (await from("0")).brief, (await from(String(since))).brief]).toEqual([
      [],
      [],
      ["ADDED a"],
    ]);
  });

  test("V3: are refused at a future revision with an ERROR event", async () => {
    const api = newApi();
    const { status, events } = await api.pull(`${listPath}?${streaming}&resourceVersion=${api.revision() + 1}`);
    const message = expect.stringContaining("Too large resource version");
    expect([status, events]).toEqual([
      200,
      [{ type: "ERROR", object: expect.objectContaining({ code: 504, reason: "Timeout", message }) }],
    ]);
  });

  test.for([
    ["sendInitialEvents=true", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"],
    [
      "resourceVersionMatch=NotOlderThan",
      "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    ],
    ["sendInitialEvents=true&resourceVersionMatch=Exact", 'supported values: "NotOlderThan"'],
    [
      "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x",
      "resourceVersionMatch is forbidden when continue is provided",
    ],
  ])("V1: with %s are refused as upstream does", async ([query, message]) => {
    const { status, text } = await newApi().pull(`${listPath}?watch=1&${query}`);
    expect([status, text]).toEqual([422, expect.stringContaining(JSON.stringify(message).slice(1, -1))]);
  });

  test("W1: include a bookmark template for the edge if requested, in ASCII", async () => {
    const api = newApi();
    const { headers } = await api.pull(`${listPath}?watch=1&allowWatchBookmarks=1`);
    const bookmark = headers.get(internalHeaders.bookmark)?.replace('"$R"', '"7"') ?? "";
    expect(JSON.parse(bookmark)).toMatchObject({ type: "BOOKMARK", object: { metadata: { resourceVersion: "7" } } });
    expect((await api.pull(`${listPath}?watch=1`)).headers.has(internalHeaders.bookmark)).toBe(false);
  });
});

describe("selected events", () => {
  test("W2: are ADDED for an object that starts to match and DELETED for one that stops, at the change's revision", async () => {
    const api = newApi();
    api.put("a", { color: "blue" });
    const since = api.revision();
    api.put("a", { color: "red" });
    api.put("a", { color: "red", size: "big" });
    api.put("a", { color: "blue" });
    api.remove("a");
    const { events, brief } = await api.pull(`${listPath}?watch=1&resourceVersion=${since}&labelSelector=color%3Dred`);
    expect(brief).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
    expect(events[2]?.object.metadata).toMatchObject({
      labels: { color: "red", size: "big" },
      resourceVersion: String(since + 3),
    });
  });

  test("W2: are filtered by fields as by labels, and an unknown field is refused", async () => {
    const api = newApi();
    api.put("a");
    api.put("b");
    const select = (selector: string) => api.pull(`${listPath}?watch=1&fieldSelector=${encodeURIComponent(selector)}`);
    expect((await select("metadata.name=b")).brief).toEqual(["ADDED b"]);
    expect((await select("metadata.name!=b")).brief).toEqual(["ADDED a"]);
    expect((await select("metadata.size=b")).status).toBe(400);
  });

  test("W2: are those of the namespace, or of all namespaces", async () => {
    const api = newApi();
    api.put("a");
    api.put("b", {}, "kube-public");
    const since = api.revision();
    api.put("c");
    api.put("d", {}, "kube-public");
    const eventsAt = async (path: string) => [
      ...(await api.pull(`${path}?watch=1`)).brief,
      ...(await api.pull(`${path}?watch=1&resourceVersion=${since}`)).brief,
    ];
    expect(await eventsAt("/api/v1/namespaces/kube-public/configmaps")).toEqual(["ADDED b", "ADDED d", "ADDED d"]);
    expect(await eventsAt("/api/v1/configmaps")).toEqual([
      "ADDED a",
      "ADDED c",
      "ADDED b",
      "ADDED d",
      "ADDED c",
      "ADDED d",
    ]);
  });

  test.for([
    ["/api/v1/watch/namespaces/default/configmaps", ["ADDED a", "ADDED b"]],
    ["/api/v1/watch/configmaps", ["ADDED a", "ADDED b"]],
    ["/api/v1/watch/namespaces/default/configmaps/b", ["ADDED b"]],
    ["/api/v1/watch/namespaces/default/configmaps/b?fieldSelector=metadata.name%3Db", ["ADDED b"]],
    ["/api/v1/watch/namespaces/default", ["ADDED default"]],
  ] as const)("V1: are served at the deprecated path %s", async ([path, expected]) => {
    const api = newApi();
    api.put("a");
    api.put("b");
    expect((await api.pull(path)).brief).toEqual(expected);
  });

  test("V1: are refused if the deprecated path of one object conflicts with a field selector", async () => {
    const { status, text } = await newApi().pull(
      "/api/v1/watch/namespaces/default/configmaps/b?fieldSelector=metadata.name%3Da",
    );
    expect([status, text]).toEqual([
      400,
      expect.stringContaining("fieldSelector metadata.name doesn't match requested name"),
    ]);
  });

  test("V1: are not served for a single object with watch=1, or for watch=false", async () => {
    const api = newApi();
    api.put("a");
    for (const path of [`${listPath}/a?watch=1`, `${listPath}?watch=False`, `${listPath}?watch=0`]) {
      const { headers, text } = await api.pull(path);
      expect(headers.has(internalHeaders.revision)).toBe(false);
      expect(text).toMatch(/^{"kind":"ConfigMap/);
    }
    expect((await api.pull(`${listPath}?watch`)).brief).toEqual(["ADDED a"]);
  });
});

describe("formats of a watch", () => {
  test("W1: are Tables of one row, with the object's metadata", async () => {
    const api = newApi();
    const since = api.revision();
    api.put("a", { color: "red" });
    for (const query of ["watch=1", `watch=1&resourceVersion=${since}`]) {
      const { events } = await api.pull(`${listPath}?${query}`, asTable);
      expect(events).toMatchObject([
        {
          type: "ADDED",
          object: {
            kind: "Table",
            apiVersion: "meta.k8s.io/v1",
            metadata: { resourceVersion: String(api.revision()) },
            rows: [
              {
                cells: ["a", 0, expect.any(String)],
                object: { kind: "PartialObjectMetadata", metadata: { name: "a" } },
              },
            ],
          },
        },
      ]);
    }
  });

  test("W1: have the Table columns in the first event, or in a header for the edge if there is none", async () => {
    const api = newApi();
    const since = api.revision();
    api.put("a", { color: "red" });
    api.put("b", { color: "red" });
    const columns = [{ name: "Name" }, { name: "Data" }, { name: "Age" }];
    const first = await api.pull(`${listPath}?watch=1&resourceVersion=${since}`, asTable);
    expect(first.events).toMatchObject([
      { object: { columnDefinitions: columns } },
      { object: { columnDefinitions: null } },
    ]);
    expect(first.headers.get(internalHeaders.columns)).toBeNull();
    const nothing = await api.pull(`${listPath}?watch=1&resourceVersion=${api.revision()}`, asTable);
    expect(nothing.events).toEqual([]);
    expect(JSON.parse(nothing.headers.get(internalHeaders.columns) ?? "")).toMatchObject(columns);
    const again = { ...asTable, [internalHeaders.since]: String(since) };
    expect((await api.pull(`${listPath}?watch=1`, again)).events[0]).toMatchObject({
      object: { columnDefinitions: null },
    });
    const unseen = { ...again, [internalHeaders.columns]: "wanted" };
    expect((await api.pull(`${listPath}?watch=1`, unseen)).events[0]).toMatchObject({
      object: { columnDefinitions: columns },
    });
  });

  test("W1: may contain metadata only", async () => {
    const api = newApi();
    api.put("a", { color: "red" });
    const { events } = await api.pull(`${listPath}?watch=1`, asMetadata);
    expect(events).toMatchObject([
      { type: "ADDED", object: { kind: "PartialObjectMetadata", metadata: { name: "a" } } },
    ]);
    expect(events[0]?.object).not.toHaveProperty("data");
  });

  test("W2: honour selections for Tables", async () => {
    const api = newApi();
    const since = api.revision();
    api.put("a", { color: "red" });
    api.put("b", { color: "blue" });
    api.put("a", { color: "blue" });
    const { events } = await api.pull(
      `${listPath}?watch=1&labelSelector=color%3Dred&resourceVersion=${since}`,
      asTable,
    );
    expect(events.map(({ type }) => type)).toEqual(["ADDED", "DELETED"]);
  });

  test("V2: are refused if a watch cannot send them", async () => {
    expect((await newApi().pull(`${listPath}?watch=1`, { accept: "application/yaml" })).status).toBe(406);
    expect((await newApi().pull(`${listPath}?watch=1&includeObject=Some`, asTable)).status).toBe(400);
  });
});

describe("continuation of a watch", () => {
  test("W1: includes writes between pull and join, in order", async () => {
    const api = newApi();
    const { headers } = await api.pull(`${listPath}?watch=1`);
    const since = Number(headers.get(internalHeaders.revision));
    api.put("a");
    api.put("b", {}, "kube-public");
    api.remove("a");
    await api.join(`${listPath}?watch=1`, since);
    const [joined] = api.joins;
    expect(joined?.revision).toBe(since + 3);
    const lines = joined?.catchUp.split("\n").filter(Boolean) ?? [];
    expect(lines.map((line) => brief(JSON.parse(line) as WatchEvent))).toEqual(["ADDED a", "DELETED a"]);
  });

  test("W1: starts a resumed pull after the edge's revision, whatever the client requested", async () => {
    const api = newApi();
    const since = api.revision();
    api.put("a");
    const { brief: resumedEvents } = await api.pull(
      `${listPath}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
      {
        [internalHeaders.since]: String(since),
      },
    );
    expect(resumedEvents).toEqual(["ADDED a"]);
  });

  test("W5: is a pull if there are too many changes for a socket", async () => {
    const api = newApi();
    const since = api.revision();
    for (let at = 0; at <= limits.changeBatch; at++) api.put("a", { at: String(at) });
    expect((await api.join(`${listPath}?watch=1`, since)).status).toBe(409);
    expect(api.joins).toEqual([]);
  });

  test("W5: keeps the revision of a pull that is being read, and releases an abandoned one", async () => {
    const api = newApi();
    const since = api.revision();
    for (const name of ["a", "b", "c"]) api.putLong(name);
    const pulled = await api.send(`${listPath}?watch=1&resourceVersion=${since}`, { [internalHeaders.watch]: "pull" });
    api.registry.store.compact(since + 2);
    expect(api.registry.store.compacted).toBe(since);
    await pulled.body?.cancel();
    api.registry.store.compact(since + 2);
    expect(api.registry.store.compacted).toBe(since + 2);
  });

  test("W1: breaks off a failing pull, and releases its revision", async () => {
    const api = newApi();
    for (const name of ["a", "b"]) api.putLong(name);
    for (let at = 0; at < limits.listPageObjects; at++) api.put(`c${at}`);
    const revision = api.revision();
    const pulled = await api.send(`${listPath}?watch=1`, { [internalHeaders.watch]: "pull" });
    api.sql.run("DROP TABLE objects");
    await expect(pulled.text()).rejects.toThrow("no such table");
    api.registry.store.compact(revision);
    expect(api.registry.store.compacted).toBe(revision);
  });
});

function put({ client, edit }: TestCluster, name: string, labels: Record<string, string>, namespace: string): void {
  const existing = client.get(configMaps, namespace, name);
  if (!existing) {
    client.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, labels } });
    return;
  }
  edit(configMaps, namespace, name, (draft) => {
    draft.metadata.labels = labels;
  });
}

function brief({ type, object }: WatchEvent): string {
  return `${type} ${object.metadata.name ?? ""}`;
}
