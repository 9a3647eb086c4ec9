// Reads of lists: revision, pages, resources that they hold, and their release.
import { describe, expect, test, vi } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { decodeEnvelope, decodeProtobuf, encodeEnvelope } from "../../shared/schema/protobuf/protobuf.ts";
import { readYaml } from "../../shared/schema/yaml/read.ts";
import { handle } from "../../worker/api/handler.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { nodeSql } from "../sqlite.ts";
import { adminToken, type Answered, configMap, core, newServer, refusal, refused, type TestServer } from "./server.ts";

const protobuf = "application/vnd.kubernetes.protobuf";
const path = `${core}/configmaps`;
/** More than one page and less than three: a reader requests one page ahead, but not two. */
const many = limits.listPageObjects + 20;
const most = 3 * limits.listPageObjects + 20;

type Options = NonNullable<Parameters<typeof newServer>[0]>;

/** Returns a quiet cluster with maps of which only the last has a label. */
function withMaps(count: number, options: Options = {}): TestServer {
  const server = newServer({ nodes: 0, controllers: [], ...options });
  for (const { metadata } of server.cluster.client.list(configMaps))
    server.cluster.client.delete(configMaps, metadata.namespace ?? "", metadata.name ?? "");
  for (let at = 0; at < count; at++) {
    const labels: Record<string, string> = at === count - 1 ? { last: "yes" } : {};
    server.cluster.client.create(configMaps, configMap(nameOf(at), {}, { namespace: "default", labels }));
  }
  return server;
}

function nameOf(at: number): string {
  return `m-${String(at).padStart(5, "0")}`;
}

function namesOf(list: Answered): (string | undefined)[] {
  return list.items.map(({ metadata }) => metadata.name);
}

/** Returns the response without reading it. */
function open({ service }: TestServer, query: string, accept = "application/json"): Promise<Response> {
  const headers = { accept, authorization: `Bearer ${adminToken}` };
  return Promise.resolve(handle(service, new Request(`https://test${path}${query}`, { headers })));
}

async function chunksOf(answer: Response): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body ?? []) chunks.push(chunk as Uint8Array);
  return chunks;
}

test.each([
  ["as stored", "", "application/json"],
  ["with a selector", "?labelSelector=last", "application/json"],
  ["as protobuf", "", protobuf],
])("B2: a list %s is charged to its sandbox's share, whatever it waited for before", async (_, query, accept) => {
  let measured = 0;
  let isMeasuring = false;
  const turns = {
    next: () => Promise.resolve(),
    measure: <T>(body: () => T): T => {
      if (isMeasuring) return body();
      isMeasuring = true;
      const before = meter.spent;
      try {
        return body();
      } finally {
        isMeasuring = false;
        measured += meter.spent - before;
      }
    },
  };
  const pause = () => Promise.resolve();
  const server = withMaps(most, { service: () => ({ turns, pause }) });
  const { meter } = server.cluster.registry.store;
  const began = meter.spent;
  await chunksOf(await open(server, query, accept));
  expect(measured).toBeGreaterThan((meter.spent - began) * 0.9);
});

describe("revisions of a list", () => {
  test("V1: resourceVersion 0 ignores the limit, and a continue token honours it", async () => {
    const { ask } = withMaps(4);
    const list = async (query: string) => (await ask("GET", `${path}?${query}`)).body;
    expect(namesOf(await list("limit=2&resourceVersion=0"))).toHaveLength(4);
    const token = (await list("limit=1")).metadata.continue ?? "";
    expect(namesOf(await list(`limit=2&resourceVersion=0&continue=${token}`))).toEqual([nameOf(1), nameOf(2)]);
  });

  test("V1: a continue token has its own revision, and is refused with a resourceVersion", async () => {
    const { ask, cluster } = withMaps(3);
    const token = (await ask("GET", `${path}?limit=1`)).body.metadata.continue ?? "";
    const answer = await ask(
      "GET",
      `${path}?limit=1&continue=${token}&resourceVersion=${cluster.registry.store.revision}`,
    );
    expect(refusal(answer)).toEqual(
      refused(400, "BadRequest", "specifying resource version is not allowed when using continue"),
    );
  });

  test("S5: the compacted revision itself can still be read", async () => {
    const { ask, cluster } = withMaps(3);
    const { store } = cluster.registry;
    const { revision } = store;
    const token = (await ask("GET", `${path}?limit=1`)).body.metadata.continue ?? "";
    cluster.client.delete(configMaps, "default", nameOf(1));
    store.compact(revision);
    expect(store.compacted).toBe(revision);
    const rest = [nameOf(1), nameOf(2)];
    expect(namesOf((await ask("GET", `${path}?continue=${token}`)).body)).toEqual(rest);
    const exact = await ask("GET", `${path}?resourceVersion=${revision}&resourceVersionMatch=Exact`);
    expect(namesOf(exact.body)).toEqual([nameOf(0), ...rest]);
  });

  test("S5: an expired token writes no revision if another write has happened", async () => {
    const { ask, cluster } = withMaps(3);
    const { store } = cluster.registry;
    const token = (await ask("GET", `${path}?limit=1`)).body.metadata.continue ?? "";
    cluster.client.delete(configMaps, "default", nameOf(2));
    cluster.clock.step(limits.changeLogMs);
    const { revision } = store;
    expect((await ask("GET", `${path}?continue=${token}`)).code).toBe(410);
    expect(store.revision).toBe(revision);
  });

  test("S3: a limit reads at the requested revision only for Exact", async () => {
    const { ask, cluster } = withMaps(2);
    const { revision } = cluster.registry.store;
    cluster.client.delete(configMaps, "default", nameOf(0));
    const first = async (query: string) => namesOf((await ask("GET", `${path}?limit=1&${query}`)).body);
    expect(await first(`resourceVersion=${revision}`)).toEqual([nameOf(0)]);
    expect(await first(`resourceVersion=${revision}&resourceVersionMatch=NotOlderThan`)).toEqual([nameOf(1)]);
    expect(await first(`resourceVersion=${revision + 1}&resourceVersionMatch=NotOlderThan`)).toEqual([nameOf(1)]);
    expect(await first(`resourceVersion=${revision + 1}`)).toEqual([nameOf(1)]);
  });
});

describe("pages of a list", () => {
  test("S3: selected objects behind pages without matches appear once, in every format", async () => {
    const paused = vi.fn(() => Promise.resolve());
    for (const service of [() => ({}), () => ({ pause: paused })]) {
      const server = withMaps(most, { service });
      const last = [nameOf(most - 1)];
      for (const accept of ["application/json", "application/json;pretty=1", "application/yaml"]) {
        const chunks = await chunksOf(await open(server, "?labelSelector=last", accept));
        expect(chunks.every(({ length }) => length > 0)).toBe(true);
        const text = Buffer.concat(chunks).toString();
        expect(namesOf(readYaml(text).value as Answered)).toEqual(last);
        if (accept === "application/json") expect(namesOf(JSON.parse(text) as Answered)).toEqual(last);
      }
      const { raw } = decodeEnvelope(
        Buffer.concat(await chunksOf(await open(server, "?labelSelector=last", protobuf))),
      );
      expect(namesOf(decodeProtobuf("io.k8s.api.core.v1.ConfigMapList", raw) as Answered)).toEqual(last);
    }
    // Other work runs between two pages without selected objects.
    expect(paused).toHaveBeenCalled();
  });

  test("S3: a limit larger than a page is honoured, its metadata come first, and its token continues there", async () => {
    const count = many + 100;
    const { ask } = withMaps(count);
    const { text, body } = await ask("GET", `${path}?limit=${many}`);
    expect(namesOf(body)).toEqual(Array.from({ length: many }, (_, at) => nameOf(at)));
    expect(body.metadata.remainingItemCount).toBe(count - many);
    expect(text).toMatch(
      /^\{"kind":"ConfigMapList","apiVersion":"v1","metadata":\{"resourceVersion":"\d+","continue":/,
    );
    const rest = (await ask("GET", `${path}?limit=${many}&continue=${body.metadata.continue ?? ""}`)).body;
    expect(namesOf(rest)).toEqual(Array.from({ length: count - many }, (_, at) => nameOf(many + at)));
    expect(rest.metadata.continue).toBeUndefined();
  });

  test("W5: a page without a limit is sent when it has been read, after the list's metadata", async () => {
    const server = withMaps(many);
    const chunks = await chunksOf(await open(server, ""));
    expect(chunks.length).toBeGreaterThan(1);
    const opening = new TextDecoder().decode(chunks[0]);
    expect(opening).toMatch(
      /^\{"kind":"ConfigMapList","apiVersion":"v1","metadata":\{"resourceVersion":"\d+"\},"items":\[\{/,
    );
    expect(opening).not.toContain(nameOf(limits.listPageObjects));
  });

  test("W5: a read covers at most a page, or one object more than the limit", async () => {
    const server = withMaps(many);
    const page = vi.spyOn(server.cluster.registry.store, "page");
    for (const [query, bound] of [
      ["", limits.listPageObjects],
      [`?limit=${many}`, limits.listPageObjects],
      ["?limit=2", 3],
    ] as const) {
      page.mockClear();
      await (await open(server, query)).text();
      const [first, ...laterLimits] = page.mock.calls.map(([{ limit }]) => limit);
      expect(first).toBe(bound);
      expect(Math.max(0, ...laterLimits)).toBeLessThanOrEqual(bound);
    }
    page.mockRestore();
  });

  test("V2: metadata at the end of a list appear there only", async () => {
    const server = withMaps(0);
    const long = "x y ".repeat(75_000);
    for (let at = 0; at < 12; at++)
      server.cluster.client.create(configMaps, configMap(nameOf(at), { long }, { namespace: "default" }));
    const { text, body } = await server.ask("GET", `${path}?limit=11`);
    expect(text).toMatch(/^\{"kind":"ConfigMapList","apiVersion":"v1","items":\[/);
    expect(text).toBe(`${JSON.stringify(body)}\n`);
    const headers = { accept: "application/yaml" };
    const yaml = await server.ask("GET", `${path}?limit=11`, { headers });
    expect(yaml.text.match(/^metadata:/gm)).toHaveLength(1);
    const { bytes } = await server.ask("GET", path, { headers: { accept: protobuf } });
    expect(Buffer.compare(encodeEnvelope(decodeEnvelope(bytes)), bytes)).toBe(0);
  });
});

describe("resources of a list", () => {
  const singleRead = { limits: { reads: 1 } };

  test("W5: are released after an answer, a refusal, a complete read, or an abandoned one", async () => {
    const server = withMaps(many, singleRead);
    for (const accept of ["application/json", protobuf]) {
      expect((await server.ask("GET", `${path}?limit=1`, { headers: { accept } })).code).toBe(200);
      expect((await server.ask("GET", `${path}?includeObject=x`, { headers: { accept: table } })).code).toBe(400);
      expect((await server.ask("GET", path, { headers: { accept } })).code).toBe(200);
      await (await open(server, "", accept)).body?.cancel();
    }
    const { store } = server.cluster.registry;
    const { revision } = store;
    server.cluster.client.delete(configMaps, "default", nameOf(0));
    store.compact(revision + 1);
    expect(store.compacted).toBe(revision + 1);
  });

  test("W5: are its revision and a read slot while it is read, and a further list is refused", async () => {
    const server = withMaps(many, singleRead);
    const reading = await open(server, "");
    const { store } = server.cluster.registry;
    const { revision } = store;
    server.cluster.client.delete(configMaps, "default", nameOf(many - 1));
    store.compact(revision + 1);
    expect(store.compacted).toBe(revision);
    expect((await open(server, "?limit=1")).status).toBe(429);
    expect(namesOf(JSON.parse(await reading.text()) as Answered)).toHaveLength(many);
    expect((await open(server, "?limit=1")).status).toBe(200);
  });

  test("W5: are released if the read fails, which breaks the body off", async () => {
    const sql = nodeSql();
    const server = withMaps(most, { ...singleRead, sql });
    const failing = await open(server, "");
    sql.run("ALTER TABLE objects RENAME TO elsewhere");
    await expect(failing.text()).rejects.toThrow("no such table");
    sql.run("ALTER TABLE elsewhere RENAME TO objects");
    expect((await open(server, "?limit=1")).status).toBe(200);
  });
});

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
