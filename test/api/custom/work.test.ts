// Definitions and objects that are expensive to validate: the work is counted, and rejected at the limit.
import { expect, test } from "vitest";
import { newServer } from "../server.ts";

/** The work of reading, decoding and validating an object with the maximum number of entries. */
const mostWork = 300_000;

/** Returns a cluster with a kind whose `spec` has this schema, and a function that POSTs a spec. */
async function withSchema(spec: object) {
  const server = newServer();
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  const body = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", singular: "thing", kind: "Thing" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  expect((await server.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { body })).code).toBe(
    201,
  );
  server.cluster.step(5_000);
  const post = async (value: unknown) => {
    const { meter } = server.cluster.registry.store;
    const before = meter.spent;
    const customObject = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" }, spec: value };
    const { code, text } = await server.ask("POST", "/apis/example.com/v1/namespaces/default/things", {
      body: customObject,
    });
    expect(server.bugs).toEqual([]);
    expect(meter.spent - before).toBeLessThan(mostWork);
    return { code, text };
  };
  return { post };
}

const tooMuch = {
  code: 413,
  text: expect.stringContaining("Request entity too large: checking it takes more work than one request may") as string,
};

test("B2: defaults of many items that enlarge a small object are bounded", async () => {
  const fields = Array.from({ length: 300 }, (_one, at) => [`f${at}`, { type: "string", default: "x".repeat(300) }]);
  const item = { type: "object", properties: Object.fromEntries(fields) as object };
  const { post } = await withSchema({ type: "object", properties: { l: { type: "array", items: item } } });
  expect(await post({ l: Array.from({ length: 9_000 }, () => ({})) })).toMatchObject(tooMuch);
  expect((await post({ l: [{}, {}] })).code).toBe(201);
});

test("B2: many alternatives for each of many items are bounded", async () => {
  const anyOf = Array.from({ length: 1000 }, (_one, at) => ({ enum: [`x${at}`] }));
  const { post } = await withSchema({
    type: "object",
    properties: { l: { type: "array", items: { type: "string", anyOf } } },
  });
  expect(await post({ l: Array.from({ length: 3_000 }, () => "y") })).toMatchObject(tooMuch);
  expect((await post({ l: ["x1", "x2"] })).code).toBe(201);
});

test("B2: a problem for each of many items is bounded, in objects over and under the item limit", async () => {
  const { post } = await withSchema({
    type: "object",
    properties: { l: { type: "array", items: { type: "string" } } },
  });
  const numbers = (length: number) => Array.from({ length }, (_one, at) => at);
  expect((await post({ l: numbers(200_000) })).text).toContain("limit is 60000 entries for one object");
  expect(await post({ l: numbers(59_000) })).toMatchObject(tooMuch);
  const few = await post({ l: [1, 2] });
  expect(few.code).toBe(422);
  expect(few.text).toContain("spec.l[1]");
});

test("a merely large object is accepted", async () => {
  const { post } = await withSchema({
    type: "object",
    properties: { l: { type: "array", items: { type: "integer" } } },
  });
  expect((await post({ l: Array.from({ length: 50_000 }, (_one, at) => at) })).code).toBe(201);
});
