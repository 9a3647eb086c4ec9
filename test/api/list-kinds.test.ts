// Lists of kinds that are not shown as they are stored: each object in a list equals the single object, in every form.
import { describe, expect, test } from "vitest";
import { decodeEnvelope, decodeProtobuf, encodeEnvelope } from "../../shared/schema/protobuf/protobuf.ts";
import { readYaml } from "../../shared/schema/yaml/read.ts";
import { type Answered, apps, core, deployment, newServer, refusal, type TestServer } from "./server.ts";
import { gearsV1, gearsV2, leases, scalersV1, scalersV2, slices, withObjects } from "./shown-kinds.ts";

const protobuf = "application/vnd.kubernetes.protobuf";
const collections: readonly { readonly path: string; readonly type: string | undefined }[] = [
  { path: `${core}/configmaps`, type: "io.k8s.api.core.v1.ConfigMapList" },
  { path: slices, type: "io.k8s.api.discovery.v1.EndpointSliceList" },
  { path: leases, type: "io.k8s.api.coordination.v1.LeaseList" },
  { path: scalersV1, type: "io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerList" },
  { path: scalersV2, type: "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerList" },
  { path: gearsV1, type: undefined },
  { path: gearsV2, type: undefined },
];

/** Returns the objects of a collection, requested one at a time. */
async function alone({ ask }: TestServer, path: string, accept = "application/json"): Promise<Answered[]> {
  const { body } = await ask("GET", path, {
    headers: { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" },
  });
  const objects: Answered[] = [];
  for (const { metadata } of body.items) {
    objects.push((await ask("GET", `${path}/${metadata.name}`, { headers: { accept } })).body);
  }
  return objects;
}

/** Returns the form in a list: built-in objects do not repeat apiVersion and kind. */
function member({ apiVersion, kind, ...rest }: Answered): object {
  return apiVersion?.startsWith("example.com/") ? { apiVersion, kind, ...rest } : rest;
}

describe("an object in a list", () => {
  test.for(collections)(
    "V2: equals the single object of $path in JSON, compact and indented, selected or not",
    async ({ path }) => {
      const server = await withObjects();
      const members = (await alone(server, path)).map(member);
      expect(members.length).toBeGreaterThanOrEqual(2);
      for (const query of ["", "?labelSelector=!none", "?limit=50"]) {
        const { text, body } = await server.ask("GET", path + query);
        expect(body.items).toEqual(members);
        // The text is exactly this, once.
        expect(text).toBe(`${JSON.stringify(body)}\n`);
        const pretty = await server.ask("GET", `${path}${query || "?"}&pretty=true`);
        expect(pretty.text.trimEnd()).toBe(JSON.stringify(body, null, 2));
        const yaml = await server.ask("GET", path + query, { headers: { accept: "application/yaml" } });
        expect(readYaml(yaml.text).value).toEqual(body);
        expect(yaml.text.match(/^metadata:/gm)).toHaveLength(1);
      }
    },
  );

  test.for(collections)(
    "V2: equals the single object of $path in protobuf, or the list is 406 without protobuf",
    async ({ path, type }) => {
      const server = await withObjects();
      const headers = { accept: protobuf };
      if (type === undefined) {
        expect((await server.ask("GET", path, { headers })).code).toBe(406);
        return;
      }
      for (let round = 0; round < 3; round++) {
        // A lease has another renewal time on each read, with the same revision.
        server.cluster.clock.step(20_000);
        const { bytes } = await server.ask("GET", path, { headers });
        const envelope = decodeEnvelope(bytes);
        expect(encodeEnvelope(envelope)).toEqual(bytes);
        const { items, metadata } = decodeProtobuf(type, envelope.raw) as Answered;
        const { body } = await server.ask("GET", path);
        expect(metadata.resourceVersion).toBe(body.metadata.resourceVersion);
        expect(items.map(withoutNulls)).toEqual(body.items.map(withoutNulls));
      }
    },
  );

  test.for(collections)(
    "V2: has only the metadata of $path as PartialObjectMetadata, in JSON and protobuf",
    async ({ path }) => {
      const server = await withObjects();
      const as = ";as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
      const { body } = await server.ask("GET", path, { headers: { accept: `application/json${as}` } });
      const metadata = (await alone(server, path)).map((answered) => answered.metadata);
      expect(body.items.map((item) => item.metadata)).toEqual(metadata);
      // Twice, with the full objects in between: cached encodings of the forms are separate.
      for (const accept of [protobuf + as, protobuf, protobuf + as]) {
        const { bytes, code } = await server.ask("GET", path, { headers: { accept } });
        if (accept === protobuf || code === 406) continue;
        const { raw } = decodeEnvelope(bytes);
        const list = decodeProtobuf("io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadataList", raw) as Answered;
        expect(list.items.map((item) => item.metadata)).toEqual(metadata);
      }
    },
  );

  test("V2: is equal to the single object at an older revision, in another version than the stored one", async () => {
    const server = await withObjects();
    for (const path of [scalersV1, gearsV2]) {
      const before = (await server.ask("GET", path)).body;
      await server.ask("DELETE", `${path}/a`);
      const version = before.metadata.resourceVersion ?? "";
      const then = await server.ask("GET", `${path}?resourceVersion=${version}&resourceVersionMatch=Exact`);
      expect([then.code, then.body]).toEqual([200, before]);
      const cut = await server.ask("GET", `${path}?resourceVersion=${version}&limit=1`);
      expect(cut.body.items).toEqual(before.items.slice(0, 1));
    }
  });
});

describe("an empty list", () => {
  test.for(["application/json", "application/json;pretty=1", "application/yaml"])(
    "V2: is encoded as %s encodes an empty list",
    async (accept) => {
      const { ask } = newServer({ nodes: 0, controllers: [] });
      for (const path of [`${core}/secrets`, `${core}/secrets?labelSelector=none`, `${core}/secrets?limit=3`]) {
        const { text, headers } = await ask("GET", path, { headers: { accept } });
        const { metadata } = (await ask("GET", path)).body;
        const list = { kind: "SecretList", apiVersion: "v1", metadata, items: [] };
        const version = metadata.resourceVersion ?? "";
        expect(text.trimEnd()).toBe(
          accept === "application/yaml"
            ? `apiVersion: v1\nitems: []\nkind: SecretList\nmetadata:\n  resourceVersion: "${version}"`
            : JSON.stringify(list, null, accept.includes("pretty") ? 2 : undefined),
        );
        expect(headers.get("content-type")).toBe(accept.split(";")[0]);
      }
    },
  );
});

describe("a computed list", () => {
  test("V1: is selected from as a stored one", async () => {
    const { ask } = newServer({ nodes: 0, controllers: [] });
    const names = async (query: string) =>
      (await ask("GET", `/api/v1/componentstatuses${query}`)).body.items.map(({ metadata }) => metadata.name);
    const all = await names("");
    expect(all).toContain("scheduler");
    expect(await names("?fieldSelector=metadata.name%3Dscheduler")).toEqual(["scheduler"]);
    expect(await names("?fieldSelector=metadata.name!%3Dscheduler")).toEqual(
      all.filter((itemName) => itemName !== "scheduler"),
    );
    expect(await names("?labelSelector=none")).toEqual([]);
  });

  test("V1: contains the objects of its namespace, or of all namespaces", async () => {
    const { ask, cluster } = newServer();
    await ask("POST", "/api/v1/namespaces", { body: { metadata: { name: "other" } } });
    cluster.runUntilQuiet();
    for (const namespace of ["default", "other"])
      await ask("POST", `${apps.replace("default", namespace)}/deployments`, { body: deployment("web") });
    cluster.runUntilQuiet();
    cluster.step(120_000);
    const namespaces = async (path: string) => {
      const { body } = await ask("GET", `/apis/metrics.k8s.io/v1beta1/${path}`);
      return new Set(body.items.map(({ metadata }) => metadata.namespace));
    };
    expect(await namespaces("namespaces/other/pods")).toEqual(new Set(["other"]));
    expect([...(await namespaces("pods"))]).toEqual(expect.arrayContaining(["default", "other"]));
  });

  test("V1: rejects unsupported selectors", async () => {
    const { ask } = newServer({ nodes: 0, controllers: [] });
    expect(refusal(await ask("GET", "/api/v1/componentstatuses?fieldSelector=x%3Dy")).code).toBe(400);
  });
});

/** Protobuf has no null and no empty list. */
function withoutNulls(value: unknown): unknown {
  const isNothing = (fieldValue: unknown) =>
    fieldValue === null || (Array.isArray(fieldValue) && fieldValue.length === 0);
  return JSON.parse(
    JSON.stringify(value, (_key, fieldValue: unknown) => (isNothing(fieldValue) ? undefined : fieldValue)),
  );
}
