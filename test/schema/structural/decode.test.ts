// Decoding by a structural schema: pruning, defaults, and embedded metadata.
import { WorkMeter } from "../../../shared/k8s/bounds/work.ts";
import { describe, expect, test } from "vitest";
import type { JSONSchemaProps } from "../../../shared/k8s/api/apiextensions-v1.ts";
import { decodeCustom } from "../../../shared/schema/structural/decode.ts";
import { validateListTypes } from "../../../shared/schema/structural/list-types.ts";
import { schemaNode } from "../../../shared/schema/structural/node.ts";
import { validateEmbedded } from "../../../shared/schema/structural/object-meta.ts";

const text: JSONSchemaProps = { type: "string" };

function decoded(spec: JSONSchemaProps, value: unknown) {
  const { object, unknown } = decodeCustom(
    schemaNode({ type: "object", properties: { spec } }),
    { spec: value },
    new WorkMeter(),
  );
  return { spec: (object as { spec?: unknown }).spec, unknown };
}

const fields = (properties: Record<string, JSONSchemaProps>, more: JSONSchemaProps = {}): JSONSchemaProps => ({
  type: "object",
  properties,
  ...more,
});

describe("unknown fields of a structural schema", () => {
  test("are dropped and named", () => {
    const list = fields({ list: { type: "array", items: fields({ a: text }) } });
    expect(decoded(list, { b: 1, list: [{ a: "" }, { c: 2 }] })).toEqual({
      spec: { list: [{ a: "" }, {}] },
      unknown: ["spec.b", "spec.list[1].c"],
    });
  });

  test("are kept if the schema preserves them, but not below known fields", () => {
    const open = fields({ known: fields({}) }, { "x-kubernetes-preserve-unknown-fields": true });
    expect(decoded(open, { other: { deep: 1 }, known: { no: 1 } })).toEqual({
      spec: { other: { deep: 1 }, known: {} },
      unknown: ["spec.known.no"],
    });
  });

  test("are kept as entries of a map", () => {
    const map: JSONSchemaProps = { type: "object", additionalProperties: fields({ a: text }) };
    expect(decoded(map, { any: { a: "", b: "" } })).toEqual({ spec: { any: { a: "" } }, unknown: ["spec.any.b"] });
  });

  test("are kept in the metadata of an embedded resource, which has its own type", () => {
    const embedded = fields({ spec: fields({}) }, { "x-kubernetes-embedded-resource": true });
    const value = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", extra: 1 }, spec: { no: 1 } };
    expect(decoded(embedded, value)).toEqual({
      spec: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: {} },
      unknown: ["spec.spec.no", "spec.metadata.extra"],
    });
  });

  test("are dropped from the object itself as well, including keys of its prototype", () => {
    const { object, unknown } = decodeCustom(
      schemaNode({ type: "object" }),
      JSON.parse('{"__proto__":{"a":1},"b":1}'),
      new WorkMeter(),
    );
    expect(Object.keys(object as object)).toEqual(["metadata"]);
    expect(unknown).toEqual(["__proto__", "b"]);
  });
});

describe("defaults of a structural schema", () => {
  const sized = fields({ size: { type: "integer", default: 1 }, on: fields({ deep: { ...text, default: "x" } }) });

  test("fill absent fields, and create no parents", () => {
    expect(decoded(sized, {}).spec).toEqual({ size: 1 });
    expect(decoded(sized, { on: {} }).spec).toEqual({ on: { deep: "x" }, size: 1 });
  });

  test("replace null, except in nullable fields", () => {
    const nullable = fields({ size: { type: "integer", default: 1, nullable: true } });
    expect(decoded(sized, { size: null }).spec).toEqual({ size: 1 });
    expect(decoded(nullable, { size: null }).spec).toEqual({ size: null });
  });

  test("are set before the fields within them are defaulted", () => {
    const nested = fields({ on: fields({ deep: { ...text, default: "x" } }, { default: {} }) });
    expect(decoded(nested, {}).spec).toEqual({ on: { deep: "x" } });
  });

  test("are copies, so that a change of one object affects no other", () => {
    const node = schemaNode(
      fields({ spec: { type: "object", default: { list: [] }, "x-kubernetes-preserve-unknown-fields": true } }),
    );
    const [a, b] = [1, 2].map(() => decodeCustom(node, {}, new WorkMeter()).object as { spec: { list: number[] } });
    a?.spec.list.push(1);
    expect(b?.spec.list).toEqual([]);
  });

  test("are not needed to remove null from a field that is not nullable", () => {
    expect(decoded(fields({ a: text, b: { ...text, nullable: true } }), { a: null, b: null }).spec).toEqual({
      b: null,
    });
  });
});

describe("lists of a structural schema", () => {
  const findItem = (list: JSONSchemaProps, value: unknown) =>
    validateListTypes(schemaNode(fields({ list })), { list: value }).map(
      ({ field, message }) => `${field}: ${message}`,
    );

  test("have no duplicates as sets", () => {
    const set: JSONSchemaProps = { type: "array", "x-kubernetes-list-type": "set", items: { type: "object" } };
    expect(findItem(set, [{ a: 1, b: 2 }, { a: 1 }, { a: 1, b: 2 }])).toEqual([
      'list[2]: Duplicate value: {"a":1,"b":2}',
    ]);
    expect(findItem({ ...set, "x-kubernetes-list-type": "atomic" }, ["a", "a"])).toEqual([]);
  });

  test("have no duplicate keys as maps", () => {
    const map: JSONSchemaProps = {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name", "protocol"],
      items: fields({ name: text, protocol: text, port: text }),
    };
    expect(
      findItem(map, [
        { name: "a", protocol: "TCP" },
        { name: "a", protocol: "UDP" },
      ]),
    ).toEqual([]);
    expect(
      findItem(map, [
        { name: "a", port: "1" },
        { name: "a", port: "2" },
      ]),
    ).toEqual(['list[1]: Duplicate value: {"name":"a"}']);
  });
});

test("an embedded resource requires apiVersion and kind", () => {
  const node = schemaNode(fields({ on: { type: "object", "x-kubernetes-embedded-resource": true } }));
  const errors = validateEmbedded({ on: { metadata: { name: "a/b" } } }, node).map(
    ({ field, message }) => `${field}: ${message}`,
  );
  expect(errors).toEqual([
    "on.apiVersion: Required value",
    "on.kind: Required value",
    "on.metadata.name: Invalid value: \"a/b\": may not contain '/'",
  ]);
});
