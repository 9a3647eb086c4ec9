// Recordings: parsing, replay on a sandbox, and captures of a cluster.
import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { capture } from "../../client/recording/capture.ts";
import { parseRecording } from "../../client/recording/recording.ts";
import { replay, type ReplayOptions } from "../../client/recording/replay.ts";

const from = "2026-01-01T00:00:00.000Z";
const atSecond = (second: number) => new Date(Date.parse(from) + second * 1000).toISOString();
const header = (of: "requests" | "cluster" = "requests") => ({ recording: 1, of, from, source: "a test" });
const file = (...lines: object[]) =>
  new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
const maps = "/api/v1/namespaces/default/configmaps";
const uid = (letter: string) => `${letter.repeat(8)}-0000-4000-8000-000000000000`;
const map = (name: string, more: object = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...more } });

describe("a recording", () => {
  test("is read in the order of time", () => {
    const late = { at: atSecond(2), verb: "create", path: maps, body: map("b") };
    const early = { at: atSecond(1), verb: "create", path: maps, body: map("a"), user: "jane" };
    const { requests, isCut } = parseRecording(file(header(), late, early, { truncated: true }));
    expect(requests.map(({ line, user }) => [line, user])).toEqual([
      [3, "jane"],
      [2, undefined],
    ]);
    expect(isCut).toBe(true);
  });

  const good = { at: from, verb: "create", path: maps, body: map("a") };
  test.each<[string, Uint8Array, RegExp]>([
    ["empty", file(), /is empty/],
    ["not a recording", file({ kind: "List" }), /line 1: is not the beginning/],
    ["of a later version", file({ ...header(), recording: 2 }), /version 2 is not known/],
    ["no JSON", new TextEncoder().encode(`${JSON.stringify(header())}\nnonsense`), /line 2: is not a JSON object/],
    ["without a time", file(header(), { ...good, at: "noon" }), /line 2: at: must be a time/],
    ["with an unknown verb", file(header(), { ...good, verb: "watch" }), /line 2: verb: must be one of/],
    ["with a path of another API", file(header(), { ...good, path: "/v1/sandboxes" }), /line 2: path: must be/],
    ["with a query", file(header(), { ...good, path: `${maps}?a=b` }), /line 2: path: must be/],
    ["with a path upwards", file(header(), { ...good, path: "/api/v1/../../v1/keys" }), /line 2: path: must be/],
    ["without a body", file(header(), { ...good, body: undefined }), /line 2: body: is missing/],
    ["with a header in a name", file(header(), { ...good, user: "a\r\nb" }), /line 2: user: must be a name/],
  ])("is refused with the line if it is %s", (_, bytes, message) => {
    expect(() => parseRecording(bytes)).toThrow(message);
  });
});

/** A cluster with scripted answers, which otherwise returns the sent object, and a clock that jumps to each requested time. */
function fakeCluster(answers: Readonly<Record<string, readonly [number, object]>> = {}) {
  const requestLog: { method: string; path: string; body: unknown; headers: Headers }[] = [];
  const clock: object[] = [];
  let nowMs = Date.parse("2026-06-01T00:00:00Z");
  const facts = () => ({ now: new Date(nowMs).toISOString(), state: "running", speed: 1 }) as const;
  const options: ReplayOptions = {
    id: "a",
    speed: "max",
    fromMs: Number.NEGATIVE_INFINITY,
    untilMs: Number.POSITIVE_INFINITY,
    signal: new AbortController().signal,
    time: {
      getClock: async () => facts(),
      changeClock: async (_, change) => {
        clock.push(change);
        if (typeof change.runUntil === "string") nowMs = Date.parse(change.runUntil);
        return facts();
      },
    },
    target: async (path, init) => {
      const body: unknown = typeof init.body === "string" ? JSON.parse(init.body) : undefined;
      const { method = "GET" } = init;
      requestLog.push({ method, path, body, headers: new Headers(init.headers) });
      const [status, answer] = answers[`${method} ${path}`] ?? [200, body ?? {}];
      return Response.json(answer, { status });
    },
  };
  return { requestLog, clock, options, lines: () => requestLog.map(({ method, path }) => `${method} ${path}`) };
}

describe("a replay of requests", () => {
  const recording = () =>
    parseRecording(
      file(
        header(),
        { at: atSecond(1), verb: "create", path: maps, uid: uid("a"), user: "kubernetes-admin", body: map("a") },
        {
          ...{ at: atSecond(5), verb: "create", path: maps, uid: uid("b"), user: "jane" },
          body: map("b", { ownerReferences: [{ uid: uid("a") }, { uid: uid("f") }] }),
        },
        { at: atSecond(9), verb: "patch", path: `${maps}/b`, user: "jane", body: { data: { a: "1" } } },
        { at: atSecond(9), verb: "delete", path: `${maps}/b`, user: "jane", body: {} },
      ),
    );

  test("sends each request at its time, as its user, with the target's owner uids", async () => {
    const { requestLog, clock, lines, options } = fakeCluster({ [`POST ${maps}`]: [201, map("a", { uid: uid("1") })] });
    expect(await replay(recording(), options)).toEqual({ sent: 4, refused: [], next: undefined });
    expect(lines().filter((line) => !line.startsWith("GET"))).toEqual([
      `POST ${maps}`,
      `POST ${maps}`,
      `PATCH ${maps}/b`,
      `DELETE ${maps}/b`,
    ]);
    const second = requestLog.filter(({ method }) => method === "POST")[1];
    expect(second?.body).toEqual(map("b", { ownerReferences: [{ uid: uid("1") }] }));
    expect(second?.headers.get("impersonate-user")).toBe("jane");
    expect(requestLog[0]?.headers.has("impersonate-user")).toBe(false);
    const runs = [1, 5, 9].map((second) => ({ runUntil: new Date(Date.UTC(2026, 5, 1, 0, 0, second)).toISOString() }));
    expect(clock).toEqual([{ state: "paused" }, ...runs, { state: "running", speed: 1 }]);
  });

  test("stops at a time with the clock paused, and continues from there", async () => {
    const first = fakeCluster();
    const stopped = await replay(recording(), { ...first.options, untilMs: Date.parse(atSecond(6)) });
    expect(stopped).toMatchObject({ sent: 2, next: atSecond(9) });
    expect(first.clock.at(-1)).toEqual({ state: "paused", speed: 1 });
    const second = fakeCluster();
    expect(await replay(recording(), { ...second.options, fromMs: Date.parse(stopped.next ?? "") })).toMatchObject({
      sent: 2,
      next: undefined,
    });
    expect(second.lines()).toEqual([`PATCH ${maps}/b`, `DELETE ${maps}/b`]);
  });

  test("reports refusals, and continues", async () => {
    const { options } = fakeCluster({ [`PATCH ${maps}/b`]: [409, { message: "it has changed" }] });
    const done = await replay(recording(), options);
    expect(done).toMatchObject({ sent: 4, refused: [{ line: 4, reason: "409 it has changed" }] });
  });

  test("waits by the speed, and sets the sandbox's clock", async () => {
    const { options, clock } = fakeCluster();
    const began = Date.now();
    await replay(recording(), { ...options, speed: 50 });
    expect(Date.now() - began).toBeGreaterThanOrEqual(170);
    expect(clock).toEqual([
      { state: "running", speed: 50 },
      { state: "running", speed: 1 },
    ]);
  });

  test("ends when it is interrupted", async () => {
    const { options, lines } = fakeCluster();
    const stop = new AbortController();
    const ended = replay(recording(), { ...options, speed: 0.1, signal: stop.signal });
    stop.abort();
    expect(await ended).toMatchObject({ sent: 0, next: atSecond(1) });
    expect(lines()).toEqual([]);
  });
});

describe("a replay of a captured cluster", () => {
  const pods = "/api/v1/namespaces/default/pods";
  const pod = (more: object = {}) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", uid: uid("a") },
    ...more,
  });
  const recording = (...requests: object[]) => parseRecording(file(header("cluster"), ...requests));

  test("applies each state of an object, with its status", async () => {
    const current = { ...pod({ spec: {} }), metadata: { name: "web", resourceVersion: "7" } };
    const { requestLog, lines, options } = fakeCluster({ [`GET ${pods}/web`]: [200, current] });
    const body = pod({ spec: { nodeName: "node-1" }, status: { phase: "Running" } });
    await replay(recording({ at: atSecond(1), verb: "update", path: `${pods}/web`, body }), options);
    expect(lines()).toEqual([
      `GET ${pods}/web`,
      `POST ${pods}/web/binding`,
      `GET ${pods}/web`,
      `PUT ${pods}/web`,
      `PUT ${pods}/web/status`,
    ]);
    const metadata = { name: "web", resourceVersion: "7" };
    expect(requestLog.at(-1)?.body).toMatchObject({ metadata, status: { phase: "Running" } });
  });

  test("creates missing objects, and deletes objects in spite of finalizers", async () => {
    const { lines, options } = fakeCluster({
      [`GET ${maps}/a`]: [404, {}],
      [`DELETE ${maps}/a`]: [200, map("a", { finalizers: ["example.org/hold"] })],
    });
    await replay(
      recording(
        { at: atSecond(1), verb: "update", path: `${maps}/a`, body: map("a") },
        { at: atSecond(2), verb: "delete", path: `${maps}/a`, body: { gracePeriodSeconds: 0 } },
      ),
      options,
    );
    expect(lines()).toEqual([`GET ${maps}/a`, `POST ${maps}`, `DELETE ${maps}/a`, `PATCH ${maps}/a`]);
  });

  test("does not create an object again that is being deleted", async () => {
    const { lines, options } = fakeCluster({ [`GET ${maps}/a`]: [404, {}] });
    const body = map("a", { deletionTimestamp: from });
    const done = await replay(recording({ at: atSecond(1), verb: "update", path: `${maps}/a`, body }), options);
    expect([lines(), done.refused]).toEqual([[`GET ${maps}/a`], []]);
  });

  test("lets the target choose an address that its range does not contain", async () => {
    const services = "/api/v1/namespaces/default/services";
    const { requestLog, options } = fakeCluster({ [`POST ${services}`]: [422, { message: "not in the range" }] });
    const body = { kind: "Service", metadata: { name: "a" }, spec: { clusterIP: "172.20.0.1", ports: [] } };
    await replay(recording({ at: atSecond(1), verb: "create", path: services, body }), options);
    expect(requestLog.map(({ body: sent }) => (sent as { spec: object }).spec)).toEqual([body.spec, { ports: [] }]);
  });
});

describe("a capture of a cluster", () => {
  /** A cluster that answers each path with JSON once, and then with nothing that ends. */
  function clusterWith(answers: Readonly<Record<string, readonly [number, string]>>) {
    const requestLog: { path: string; accept: string | undefined }[] = [];
    const get = async (path: string, { accept, signal }: { accept?: string; signal?: AbortSignal } = {}) => {
      requestLog.push({ path, accept });
      const [statusCode, text] = answers[path] ?? [404, '{"message":"not found"}'];
      const isWatch = path.includes("watch=true");
      const stream = new Readable({ read: () => undefined });
      if (text !== "") stream.push(text);
      if (!isWatch || statusCode !== 200) stream.push(null);
      signal?.addEventListener("abort", () => stream.destroy(new Error("it is over")));
      return Object.assign(stream, { statusCode }) as unknown as IncomingMessage;
    };
    return { requestLog, cluster: { get, close: () => undefined } };
  }

  const api = {
    "/apis": [200, '{"groups":[{"name":"metrics.k8s.io","preferredVersion":{"groupVersion":"metrics.k8s.io/v1"}}]}'],
    "/api/v1": [
      200,
      JSON.stringify({
        resources: [
          { name: "configmaps", namespaced: true, kind: "ConfigMap", verbs: ["list", "watch"] },
          { name: "secrets", namespaced: true, kind: "Secret", verbs: ["list", "watch"] },
          { name: "nodes", namespaced: false, kind: "Node", verbs: ["list", "watch"] },
          { name: "bindings", namespaced: true, kind: "Binding", verbs: ["create"] },
        ],
      }),
    ],
    "/api/v1/nodes?limit=500": [403, '{"message":"nodes is forbidden"}'],
    "/api/v1/configmaps?limit=500": [
      200,
      JSON.stringify({
        metadata: { resourceVersion: "5" },
        items: [map("a", { namespace: "default", resourceVersion: "1", managedFields: [] })],
      }),
    ],
    "/api/v1/secrets?limit=500": [
      200,
      JSON.stringify({
        metadata: { resourceVersion: "5" },
        items: [
          {
            metadata: {
              ...{ name: "s", namespace: "default", resourceVersion: "2" },
              annotations: { "kubectl.kubernetes.io/last-applied-configuration": "secret" },
            },
            data: { password: "secret" },
          },
        ],
      }),
    ],
    "/api/v1/configmaps?watch=true&allowWatchBookmarks=true&resourceVersion=5": [
      200,
      [
        { type: "MODIFIED", object: map("a", { namespace: "default", resourceVersion: "6", deletionTimestamp: from }) },
        { type: "BOOKMARK", object: { metadata: { resourceVersion: "7" } } },
        { type: "DELETED", object: map("a", { namespace: "default", resourceVersion: "8" }) },
      ]
        .map((event) => `${JSON.stringify(event)}\n`)
        .join(""),
    ],
    "/api/v1/secrets?watch=true&allowWatchBookmarks=true&resourceVersion=5": [200, ""],
  } as const satisfies Record<string, readonly [number, string]>;

  async function captured(mostBytes = 1_000_000) {
    const { requestLog, cluster } = clusterWith(api);
    const [texts, messages]: [string[], string[]] = [[], []];
    const stop = new AbortController();
    const news = new EventEmitter();
    const done = capture({
      ...{ cluster, source: "a test", namespace: undefined, mostBytes, signal: stop.signal },
      write: (text) => {
        texts.push(text);
        news.emit("line");
      },
      say: (text) => void messages.push(text),
    });
    if (mostBytes > 10_000)
      while (!texts.join("").includes('"gracePeriodSeconds":0')) await new Promise((go) => news.once("line", go));
    stop.abort();
    const result = await done;
    return { requestLog, messages, text: texts.join(""), done: result };
  }

  test("has existing objects and their changes, and omits unreadable kinds", async () => {
    const { messages, text, done } = await captured();
    const { header: first, requests } = parseRecording(new TextEncoder().encode(text));
    expect(first.of).toBe("cluster");
    expect(requests.map(({ verb, path }) => `${verb} ${path}`)).toEqual([
      `exists ${maps}`,
      "exists /api/v1/namespaces/default/secrets",
      `delete ${maps}/a`,
      `update ${maps}/a`,
      `delete ${maps}/a`,
    ]);
    const ending = { namespace: "default", resourceVersion: "6", deletionTimestamp: from };
    expect(requests[3]?.body).toEqual(map("a", ending));
    expect(messages.join()).toMatch(/\/api\/v1 is left out: 403 nodes is forbidden/);
    expect(done).toEqual({ objects: 2, changes: 3, isCut: false });
  });

  test("requests only the metadata of Secrets, and never writes a value", async () => {
    const { requestLog, text } = await captured();
    for (const { path, accept } of requestLog)
      if (path.includes("secrets")) expect(accept).toMatch(/as=PartialObjectMetadata/);
    expect(text).not.toMatch(/"secret"|password/);
  });

  test("ends when the file is full, and records that", async () => {
    const { text, done } = await captured(300);
    expect(done.isCut).toBe(true);
    expect(parseRecording(new TextEncoder().encode(text)).isCut).toBe(true);
  });
});
