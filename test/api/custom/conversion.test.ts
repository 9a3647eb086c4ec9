// Versions of a custom resource with a conversion webhook: reads and writes of one or many objects.
import { describe, expect, test } from "vitest";
import type { CustomResourceDefinition } from "../../../shared/k8s/api/apiextensions-v1.ts";
import type { Draft, KubeObject } from "../../../shared/k8s/meta.ts";
import type { OutboundAnswer, OutboundCall } from "../../../shared/k8s/outbound-call.ts";
import { customResourceDefinitions } from "../../../worker/kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { newServer } from "../server.ts";

interface Review {
  readonly apiVersion: string;
  readonly request: { uid: string; desiredAPIVersion: string; objects: Sized[] };
}

type Sized = KubeObject & { spec: { size?: number; amount?: string } };
type Convert = (object: Sized, apiVersion: string) => object;

/** In v1 the field is `size`, a number; in v2 it is `amount`, a text. */
const convert: Convert = ({ spec, ...object }, apiVersion) => ({
  ...object,
  apiVersion,
  spec: apiVersion.endsWith("v2") ? { amount: String(spec.size) } : { size: Number(spec.amount) },
});

function schemaOf(name: string, type: string) {
  const spec = { type: "object", properties: { [name]: { type } } };
  return { openAPIV3Schema: { type: "object", properties: { spec } } };
}

const definition: Draft<CustomResourceDefinition> = {
  metadata: { name: "gears.example.com" },
  spec: {
    group: "example.com",
    names: { plural: "gears", kind: "Gear", singular: "gear", listKind: "GearList" },
    scope: "Namespaced",
    versions: [
      {
        ...{ name: "v1", served: true, storage: true, schema: schemaOf("size", "integer") },
        subresources: { scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
      },
      { name: "v2", served: true, storage: false, schema: schemaOf("amount", "string") },
    ],
    conversion: {
      strategy: "Webhook",
      webhook: { clientConfig: { url: "https://convert.example.com/x" }, conversionReviewVersions: ["v1"] },
    },
  },
};

function fixture(by: Convert | string = convert) {
  const reviews: Review["request"][] = [];
  const answer = ({ body }: OutboundCall): OutboundAnswer => {
    const { apiVersion, request } = JSON.parse(body) as Review;
    reviews.push(request);
    if (typeof by === "string") return { ok: false, message: by };
    const convertedObjects = request.objects.map((object) => by(object, request.desiredAPIVersion));
    const response = { uid: request.uid, convertedObjects, result: { status: "Success" } };
    return { ok: true, status: 200, body: JSON.stringify({ kind: "ConversionReview", apiVersion, response }) };
  };
  const server = newServer({ nodes: 0, answer });
  server.cluster.apply(customResourceDefinitions, definition);
  server.cluster.runUntilQuiet();
  const path = (version: string) => `/apis/example.com/${version}/namespaces/default/gears`;
  const gear = (version: string, name: string, spec: object) => ({
    apiVersion: `example.com/${version}`,
    kind: "Gear",
    metadata: { name, labels: { a: "b" } },
    spec,
  });
  return { server, asked: reviews, path, gear };
}

describe("a conversion webhook", () => {
  test("converts an object to the stored version and back", async () => {
    const { server, asked: reviews, path, gear } = fixture();
    const created = await server.ask("POST", path("v2"), { body: gear("v2", "one", { amount: "3" }) });
    expect([created.code, created.body.apiVersion, created.body.spec]).toEqual([
      201,
      "example.com/v2",
      { amount: "3" },
    ]);
    expect(reviews.map(({ desiredAPIVersion }) => desiredAPIVersion)).toContain("example.com/v1");
    expect((await server.ask("GET", `${path("v1")}/one`)).body.spec).toEqual({ size: 3 });
    const headers = { "content-type": "application/merge-patch+json" };
    const patched = await server.ask("PATCH", `${path("v2")}/one`, { body: { spec: { amount: "5" } }, headers });
    expect([patched.code, patched.body.spec]).toEqual([200, { amount: "5" }]);
    const stored = await server.ask("GET", `${path("v1")}/one`);
    expect([stored.body.spec, stored.body.metadata.labels]).toEqual([{ size: 5 }, { a: "b" }]);
    expect(server.bugs).toEqual([]);
  });

  test("converts the answer to a write from the stored object, and its requests contain no resource version", async () => {
    const { server, asked: reviews, path, gear } = fixture();
    const created = await server.ask("POST", path("v2"), { body: gear("v2", "one", { amount: "03" }) });
    expect([created.code, created.body.spec]).toEqual([201, { amount: "3" }]);
    expect(reviews.map(({ desiredAPIVersion, objects }) => [desiredAPIVersion, objects[0]?.spec])).toEqual([
      ["example.com/v1", { amount: "03" }],
      ["example.com/v2", { size: 3 }],
    ]);
    expect(reviews.map(({ objects }) => objects[0]?.metadata.resourceVersion)).toEqual([undefined, undefined]);
    const dry = await server.ask("POST", `${path("v2")}?dryRun=All`, { body: gear("v2", "two", { amount: "04" }) });
    expect(dry.body.spec).toEqual({ amount: "4" });
  });

  test("converts a scaled object to the version of its managers, who keep their fields", async () => {
    const { server, path, gear } = fixture();
    await server.ask("POST", path("v2"), { body: gear("v2", "one", { amount: "3" }) });
    const headers = { "content-type": "application/merge-patch+json" };
    const scaled = await server.ask("PATCH", `${path("v1")}/one/scale`, { body: { spec: { replicas: 5 } }, headers });
    expect([scaled.code, scaled.body.spec, scaled.body.status]).toEqual([200, { replicas: 5 }, { replicas: 0 }]);
    const { body } = await server.ask("GET", `${path("v2")}/one`);
    expect(body.spec).toEqual({ amount: "5" });
    expect(body.metadata.managedFields?.map(({ apiVersion }) => apiVersion)).toContain("example.com/v2");
  });

  test("converts a list with one request", async () => {
    const { server, asked: reviews, path, gear } = fixture();
    for (const size of [1, 2, 3]) await server.ask("POST", path("v1"), { body: gear("v1", `g${size}`, { size }) });
    expect(reviews).toEqual([]);
    const list = await server.ask("GET", path("v2"));
    expect(list.body.items.map(({ spec }) => spec)).toEqual([{ amount: "1" }, { amount: "2" }, { amount: "3" }]);
    expect(reviews.map(({ objects }) => objects.length)).toEqual([3]);
    await server.ask("GET", path("v2"));
    expect(reviews).toHaveLength(1);
  });
});

describe("a list at an older revision", () => {
  test("is converted with one request for any length", async () => {
    const { server, asked: reviews, path, gear } = fixture();
    for (let size = 0; size < 120; size++)
      await server.ask("POST", path("v1"), { body: gear("v1", `g${size}`, { size }) });
    const { body } = await server.ask("GET", path("v1"));
    await server.ask("DELETE", `${path("v1")}/g0`);
    const revision = body.metadata.resourceVersion ?? "";
    const old = await server.ask("GET", `${path("v2")}?resourceVersion=${revision}&resourceVersionMatch=Exact`);
    expect([old.code, old.body.items.length]).toEqual([200, 120]);
    expect(reviews.map(({ objects }) => objects.length)).toEqual([119, 1]);
  });
});

describe("a failing conversion", () => {
  const prefix = "conversion webhook for example.com/v2, Kind=Gear";

  test("writes nothing, and answers with upstream's message", async () => {
    const { server, path, gear } = fixture('Post "https://convert.example.com/x": EOF');
    const created = await server.ask("POST", path("v2"), { body: gear("v2", "one", { amount: "3" }) });
    expect([created.code, created.body.message]).toEqual([
      500,
      `${prefix} failed: Post "https://convert.example.com/x": EOF`,
    ]);
    expect((await server.ask("GET", `${path("v1")}/one`)).code).toBe(404);
  });

  test.each<[string, Convert, string]>([
    [
      "another version",
      (object) => object,
      "returned invalid object at index 0: invalid groupVersion (expected example.com/v1, received example.com/v2)",
    ],
    [
      "another name",
      (object, apiVersion) => ({ ...object, apiVersion, metadata: { ...object.metadata, name: "two" } }),
      "returned invalid object: must have the same name: one != two",
    ],
    [
      "invalid labels",
      (object, apiVersion) => ({ ...object, apiVersion, metadata: { ...object.metadata, labels: { a: 1 } } }),
      "returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object",
    ],
  ])("%s is refused", async (_what, by, why) => {
    const { server, path, gear } = fixture(by);
    const created = await server.ask("POST", path("v2"), { body: gear("v2", "one", { amount: "3" }) });
    expect([created.code, created.body.message]).toEqual([500, `${prefix} ${why}`]);
  });
});
