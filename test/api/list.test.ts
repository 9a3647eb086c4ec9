// Collections: selectors, pages, revisions, and response forms.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { decodeEnvelope, decodeProtobuf } from "../../shared/schema/protobuf/protobuf.ts";
import { readYaml } from "../../shared/schema/yaml/read.ts";
import { handle } from "../../worker/api/handler.ts";
import {
  adminToken,
  type Answer,
  type Answered,
  configMap,
  core,
  deployment,
  apps,
  newServer,
  pod,
  refusal,
  refused,
  type TestServer,
} from "./server.ts";

/** Returns a cluster in which nothing runs. */
const still = () => newServer({ nodes: 0, controllers: [] });

async function withMaps(...names: readonly string[]): Promise<TestServer> {
  const server = still();
  for (const name of names)
    await server.ask("POST", `${core}/configmaps`, { body: configMap(name, {}, { labels: { name, odd: "yes" } }) });
  return server;
}

function namesOf({ body }: Answer): (string | undefined)[] {
  return body.items.map(({ metadata }) => metadata.name);
}

const mine = "labelSelector=odd";

describe("selectors", () => {
  test("V1: match labels by equality, sets, existence, and their negations", async () => {
    const { ask } = await withMaps("a", "b", "c");
    const names = async (selector: string) =>
      namesOf(await ask("GET", `${core}/configmaps?labelSelector=${encodeURIComponent(selector)}`));
    expect(await names("name=a")).toEqual(["a"]);
    expect(await names("odd,name!=a")).toEqual(["b", "c"]);
    expect(await names("name in (a, c)")).toEqual(["a", "c"]);
    expect(await names("odd,name notin (a,c)")).toEqual(["b"]);
    expect(await names("odd,!name")).toEqual([]);
  });

  test("V1: match a kind's fields", async () => {
    const { ask, cluster } = newServer();
    for (const name of ["p", "q"]) await ask("POST", `${core}/pods`, { body: pod(name) });
    cluster.runUntilQuiet();
    const names = async (selector: string) =>
      namesOf(await ask("GET", `${core}/pods?fieldSelector=${encodeURIComponent(selector)}`));
    expect(await names("metadata.name=p")).toEqual(["p"]);
    expect(await names("status.phase=Running")).toEqual(["p", "q"]);
    expect(await names("status.phase!=Running")).toEqual([]);
    expect(await names("metadata.name!=p,metadata.namespace=default")).toEqual(["q"]);
  });

  test("V1: are 400 if they cannot be parsed or are not supported", async () => {
    const { ask } = still();
    const list = async (query: string) => refusal(await ask("GET", `${core}/configmaps?${query}`));
    expect(await list("fieldSelector=data.a%3Db")).toEqual(
      refused(400, "BadRequest", '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"'),
    );
    expect(refusal(await ask("GET", `${core}/pods?fieldSelector=spec.colour%3Dred`))).toEqual(
      refused(400, "BadRequest", "field label not supported: spec.colour"),
    );
    const of = async (path: string) =>
      refusal(await ask("GET", `${path}?fieldSelector=metadata.namespace%3Da,x%3Dy`)).message;
    expect(await of("/apis/batch/v1/jobs")).toBe('field label "x" not supported for Job');
    expect(await of("/apis/resource.k8s.io/v1/resourceslices")).toBe(
      "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: metadata.namespace",
    );
    expect(await of("/api/v1/nodes")).toBe("field label not supported: metadata.namespace");
    expect(await of("/apis/storage.k8s.io/v1/storageclasses")).toContain('"x" is not a known field selector');
    expect((await list("labelSelector=%28")).code).toBe(400);
    expect((await list("limit=many")).message).toBe('strconv.ParseInt: parsing "many": invalid syntax');
  });
});

describe("pages of a list", () => {
  test("S3: join at one revision, whatever is written between them", async () => {
    const { ask } = await withMaps("a", "b", "c", "d", "e");
    const first = await ask("GET", `${core}/configmaps?${mine}&limit=2`);
    expect(namesOf(first)).toEqual(["a", "b"]);
    await ask("DELETE", `${core}/configmaps/c`);
    await ask("POST", `${core}/configmaps`, { body: configMap("bb", {}, { labels: { odd: "yes" } }) });
    await ask("PUT", `${core}/configmaps/d`, { body: configMap("d", { k: "new" }, { labels: { odd: "no" } }) });
    const second = await ask(
      "GET",
      `${core}/configmaps?${mine}&limit=2&continue=${first.body.metadata.continue ?? ""}`,
    );
    expect(namesOf(second)).toEqual(["c", "d"]);
    expect(second.body.items[1]?.data).toEqual(undefined);
    const third = await ask(
      "GET",
      `${core}/configmaps?${mine}&limit=2&continue=${second.body.metadata.continue ?? ""}`,
    );
    expect([namesOf(third), third.body.metadata.continue]).toEqual([["e"], undefined]);
    for (const page of [second, third])
      expect(page.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
  });

  test("S3: have the number of remaining objects without selectors", async () => {
    const { ask } = still();
    for (const name of ["a", "b", "c"]) await ask("POST", `${core}/secrets`, { body: { metadata: { name } } });
    const { body } = await ask("GET", `${core}/secrets?limit=1`);
    expect([namesOf({ body } as Answer), body.metadata.remainingItemCount]).toEqual([["a"], 2]);
  });

  test("V1: with an invalid token are 400", async () => {
    const { ask } = still();
    const list = async (token: string) => refusal(await ask("GET", `${core}/configmaps?continue=${token}`)).message;
    const encoded = (value: unknown) => btoa(JSON.stringify(value)).replaceAll("=", "");
    expect(await list("%21")).toBe(
      "invalid continue token: continue key is not valid: illegal base64 data at input byte 0",
    );
    expect(await list(encoded({ v: "v9", rv: 1, start: "a" }))).toBe(
      "invalid continue token: continue key is not valid: server does not recognize this encoded version v9",
    );
    expect(await list(encoded({ v: "meta.k8s.io/v1", start: "a/b" }))).toBe(
      "invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    );
    expect(await list(encoded({ v: "meta.k8s.io/v1", rv: 3 }))).toBe(
      "invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)",
    );
  });

  test("S5: at a compacted revision are 410 Expired, with a token to continue at the newest revision", async () => {
    const { ask, cluster } = await withMaps("a", "b", "c");
    const { body } = await ask("GET", `${core}/configmaps?${mine}&limit=1`);
    await ask("POST", `${core}/configmaps`, { body: configMap("z", {}, { labels: { odd: "yes" } }) });
    cluster.registry.store.compact(cluster.registry.store.revision);
    const expired = await ask("GET", `${core}/configmaps?${mine}&limit=1&continue=${body.metadata.continue ?? ""}`);
    expect(expired.body).toMatchObject({
      code: 410,
      reason: "Expired",
      message: expect.stringContaining("The provided continue parameter is too old"),
    });
    const rest = await ask("GET", `${core}/configmaps?${mine}&continue=${expired.body.metadata.continue ?? ""}`);
    expect(namesOf(rest)).toEqual(["b", "c", "z"]);
  });

  test("S5: expire when upstream would have compacted, also without writes, and the rest has another revision", async () => {
    const { ask, cluster } = await withMaps("a", "b", "c");
    const page = (token: string) => ask("GET", `${core}/configmaps?${mine}&limit=1&continue=${token}`);
    const first = (await page("")).body.metadata;
    cluster.clock.step(4 * 60_000);
    const second = await page(first.continue ?? "");
    expect(namesOf(second)).toEqual(["b"]);
    cluster.clock.step(60_000);
    for (const token of [first.continue, second.body.metadata.continue]) {
      expect(await page(token ?? "")).toMatchObject({ code: 410, body: { reason: "Expired" } });
    }
    const anew = (await page((await page(first.continue ?? "")).body.metadata.continue ?? "")).body;
    expect(anew.items.map(({ metadata }) => metadata.name)).toEqual(["b"]);
    expect(Number(anew.metadata.resourceVersion)).toBe(Number(first.resourceVersion) + 1);
    expect((await page(anew.metadata.continue ?? "")).body.metadata.resourceVersion).toBe(
      anew.metadata.resourceVersion,
    );
    expect(cluster.runUntilQuiet()).toBeUndefined();
  });
});

describe("revisions of a list", () => {
  test("S3: are past for Exact, and current for NotOlderThan and 0", async () => {
    const { ask } = await withMaps("a");
    const before = (await ask("GET", `${core}/configmaps`)).body.metadata.resourceVersion ?? "";
    await ask("POST", `${core}/configmaps`, { body: configMap("b", {}, { labels: { odd: "yes" } }) });
    const list = async (query: string) => namesOf(await ask("GET", `${core}/configmaps?${mine}&${query}`));
    expect(await list(`resourceVersion=${before}&resourceVersionMatch=Exact`)).toEqual(["a"]);
    expect(await list(`resourceVersion=${before}&resourceVersionMatch=NotOlderThan`)).toEqual(["a", "b"]);
    expect(await list(`resourceVersion=${before}`)).toEqual(["a", "b"]);
    expect(await list("resourceVersion=0")).toEqual(["a", "b"]);
  });

  test("S5: cannot be read exactly after compaction, with upstream's message for lists", async () => {
    const { ask, cluster } = await withMaps("a", "b");
    const { store } = cluster.registry;
    store.compact(store.revision);
    const list = (query: string) => ask("GET", `${core}/configmaps?${query}`);
    const expired = refused(410, "Expired", "The resourceVersion for the provided list is too old.");
    expect(refusal(await list("resourceVersion=1&resourceVersionMatch=Exact"))).toEqual(expired);
    expect(refusal(await list("resourceVersion=1&limit=1"))).toEqual(expired);
    expect((await list("resourceVersion=1&resourceVersionMatch=NotOlderThan")).code).toBe(200);
  });

  test("V3: in the future are refused with that reason", async () => {
    const { ask, cluster } = still();
    const { revision } = cluster.registry.store;
    const answer = await ask("GET", `${core}/configmaps?resourceVersion=999999`);
    expect(refusal(answer)).toEqual(
      refused(504, "Timeout", `Timeout: Too large resource version: 999999, current: ${revision}`),
    );
    expect(answer.body).toMatchObject({
      details: { retryAfterSeconds: 1, causes: [{ reason: "ResourceVersionTooLarge" }] },
    });
    expect(answer.headers.get("retry-after")).toBe("1");
  });

  test("V1: with conflicting options are invalid, with all problems listed", async () => {
    const { ask } = still();
    const list = async (query: string) => refusal(await ask("GET", `${core}/configmaps?${query}`)).message;
    expect(await list("resourceVersionMatch=Exact")).toBe(
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    );
    expect(await list("resourceVersionMatch=Exact&resourceVersion=0")).toContain(
      'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    );
    expect(await list("resourceVersionMatch=Newest&resourceVersion=1")).toContain(
      'resourceVersionMatch: Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""',
    );
    expect(await list("sendInitialEvents=true")).toContain(
      "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list",
    );
  });
});

describe("formats of a list", () => {
  test("V2: JSON has the list's kind once, and one list for all namespaces", async () => {
    const { ask } = await withMaps("a");
    const { body } = await ask("GET", `/api/v1/configmaps?${mine}`);
    expect(body).toMatchObject({
      kind: "ConfigMapList",
      apiVersion: "v1",
      items: [{ metadata: { name: "a", namespace: "default" } }],
    });
    expect(body.items[0]).not.toHaveProperty("kind");
    const all = (await ask("GET", "/api/v1/configmaps")).body.items.map(({ metadata }) => metadata.namespace);
    expect(new Set(all)).toContain("kube-system");
  });

  test("V2: a Table has kubectl's columns, and rows with metadata or the requested object", async () => {
    const { ask, cluster } = newServer();
    await ask("POST", `${apps}/deployments`, { body: deployment("web", 2) });
    cluster.runUntilQuiet();
    const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };
    const { body } = await ask("GET", `${apps}/deployments`, { headers });
    expect([body.kind, body.apiVersion]).toEqual(["Table", "meta.k8s.io/v1"]);
    expect(body.columnDefinitions.map(({ name }) => name).slice(0, 5)).toEqual([
      "Name",
      "Ready",
      "Up-to-date",
      "Available",
      "Age",
    ]);
    expect(body.rows[0]?.cells.slice(0, 4)).toEqual(["web", "2/2", 2, 2]);
    expect(body.rows[0]?.object).toMatchObject({ kind: "PartialObjectMetadata", metadata: { name: "web" } });
    const single = await ask("GET", `${apps}/deployments/web?includeObject=Object`, { headers });
    expect(single.body.rows[0]?.object).toMatchObject({ kind: "Deployment", spec: { replicas: 2 } });
    expect((await ask("GET", `${apps}/deployments?includeObject=None`, { headers })).body.rows[0]?.object).toBe(null);
  });

  test("V2: PartialObjectMetadata has only metadata, and is 406 for the wrong kind", async () => {
    const { ask } = await withMaps("a");
    const as = (kind: string) => ({ headers: { accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` } });
    const single = await ask("GET", `${core}/configmaps/a`, as("PartialObjectMetadata"));
    expect(Object.keys(single.body).sort()).toEqual(["apiVersion", "kind", "metadata"]);
    const list = await ask("GET", `${core}/configmaps?${mine}`, as("PartialObjectMetadataList"));
    expect([list.body.kind, list.body.items.length]).toEqual(["PartialObjectMetadataList", 1]);
    expect((await ask("GET", `${core}/configmaps`, as("PartialObjectMetadata"))).code).toBe(406);
    expect((await ask("GET", `${core}/configmaps/a`, as("PartialObjectMetadataList"))).code).toBe(406);
  });

  test("V2: YAML and indented JSON are supported", async () => {
    const { ask } = await withMaps("a");
    const yaml = await ask("GET", `${core}/configmaps/a`, { headers: { accept: "application/yaml" } });
    expect(yaml.text).toMatch(/^apiVersion: v1\nkind: ConfigMap\nmetadata:\n/);
    expect((await ask("GET", `${core}/configmaps/a?pretty=true`)).text).toMatch(/^\{\n {2}"kind": "ConfigMap",\n/);
  });

  describe("formats of a long list", () => {
    const text = "x".repeat(120_000);
    const forms = [
      "application/json",
      "application/json;pretty=1",
      "application/yaml",
      "application/json;as=Table;v=v1;g=meta.k8s.io",
      "application/yaml;as=Table;v=v1;g=meta.k8s.io",
      "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
      "application/json;pretty=1;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    ];
    const long = async () => {
      const server = still();
      for (let at = 10; at < 40; at++) {
        const metadata = { labels: { half: String(at % 2), mine: "yes" } };
        await server.ask("POST", `${core}/configmaps`, { body: configMap(`a-${at}`, { text }, metadata) });
      }
      return server;
    };

    test("V2: are equal to those of a short one, also if metadata come last", async () => {
      const { ask } = await long();
      const names = (list: Answered) =>
        (list.items ?? list.rows).map((item) => ("object" in item ? (item.object as Answered) : item).metadata.name);
      for (const accept of forms) {
        const read = async (query: string) => {
          const { text } = await ask("GET", `${core}/configmaps?labelSelector=mine&${query}`, { headers: { accept } });
          return readYaml(text).value as Answered;
        };
        const fullList = await read("");
        const names30 = Array.from({ length: 30 }, (_, at) => `a-${at + 10}`);
        expect(names(fullList)).toEqual(names30);
        const first = await read("limit=28");
        expect(names(first)).toEqual(names30.slice(0, 28));
        const { items: _, rows: _rows, metadata, ...rest } = first;
        expect(fullList).toMatchObject(rest);
        expect(Object.keys(first).sort()).toEqual(Object.keys(fullList).sort());
        expect(metadata.resourceVersion).toBe(fullList.metadata.resourceVersion);
        const last = await read(`limit=28&continue=${metadata.continue ?? ""}`);
        expect(names(last)).toEqual(names30.slice(28));
        expect(last.metadata.continue || undefined).toBeUndefined();
      }
    });

    test("W5: buffer one page at a time", async () => {
      const { service: server } = await long();
      for (const accept of [...forms, "application/vnd.kubernetes.protobuf"]) {
        for (const query of ["labelSelector=half%3D1", "fieldSelector=metadata.name!%3Da-10", "limit=29"]) {
          const headers = { accept, authorization: `Bearer ${adminToken}` };
          const { body } = await handle(server, new Request(`https://test${core}/configmaps?${query}`, { headers }));
          const lengths: number[] = [];
          for await (const chunk of body ?? []) lengths.push((chunk as Uint8Array).length);
          expect(Math.max(...lengths)).toBeLessThan(1.5 * limits.listAtOnceBytes);
          expect(lengths.length).toBeGreaterThan(1);
        }
      }
    });

    test("V2: include protobuf, selected and limited", async () => {
      const { ask } = await long();
      const headers = { accept: "application/vnd.kubernetes.protobuf" };
      for (const [query, count] of [
        ["labelSelector=half%3D1", 15],
        ["limit=28", 28],
      ] as const) {
        const { bytes } = await ask("GET", `${core}/configmaps?${query}`, { headers });
        const { raw } = decodeEnvelope(bytes);
        const list = decodeProtobuf("io.k8s.api.core.v1.ConfigMapList", raw) as Answered;
        expect(list.items).toHaveLength(count);
        expect(list.metadata.remainingItemCount).toBe(count === 28 ? 2 : undefined);
      }
    });
  });

  test("V2: HEAD and methods without a verb are refused", async () => {
    const { ask } = await withMaps("a");
    for (const method of ["HEAD", "OPTIONS"]) {
      expect((await ask(method, `${core}/configmaps/a`)).code).toBe(405);
      expect((await ask(method, `${core}/configmaps`)).code).toBe(405);
    }
  });
});
