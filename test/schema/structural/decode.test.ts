// What becomes of an object by its schema before it is looked at: unknown fields go, defaults come, metadata takes its form.
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

describe("What a schema does not know", () => {
  test("goes, and is named", () => {
    const list = fields({ list: { type: "array", items: fields({ a: text }) } });
    expect(decoded(list, { b: 1, list: [{ a: "" }, { c: 2 }] })).toEqual({
      spec: { list: [{ a: "" }, {}] },
      unknown: ["spec.b", "spec.list[1].c"],
    });
  });

  test("stays where it may, but not below what is known", () => {
    const open = fields({ known: fields({}) }, { "x-kubernetes-preserve-unknown-fields": true });
    expect(decoded(open, { other: { deep: 1 }, known: { no: 1 } })).toEqual({
      spec: { other: { deep: 1 }, known: {} },
      unknown: ["spec.known.no"],
    });
  });

  test("stays as an entry of a map", () => {
    const map: JSONSchemaProps = { type: "object", additionalProperties: fields({ a: text }) };
    expect(decoded(map, { any: { a: "", b: "" } })).toEqual({ spec: { any: { a: "" } }, unknown: ["spec.any.b"] });
  });

  test("leaves the metadata of an embedded resource alone, which takes its own form", () => {
    const embedded = fields({ spec: fields({}) }, { "x-kubernetes-embedded-resource": true });
    const value = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", extra: 1 }, spec: { no: 1 } };
    expect(decoded(embedded, value)).toEqual({
      spec: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: {} },
      unknown: ["spec.spec.no", "spec.metadata.extra"],
    });
  });

  test("goes from the object itself as well, keys of its prototype included", () => {
    const { object, unknown } = decodeCustom(
      schemaNode({ type: "object" }),
      JSON.parse('{"__proto__":{"a":1},"b":1}'),
      new WorkMeter(),
    );
    expect(Object.keys(object as object)).toEqual(["metadata"]);
    expect(unknown).toEqual(["__proto__", "b"]);
  });
});

describe("Defaults", () => {
  const sized = fields({ size: { type: "integer", default: 1 }, on: fields({ deep: { ...text, default: "x" } }) });

  test("come where nothing stands, but make nothing for what is below them", () => {
    expect(decoded(sized, {}).spec).toEqual({ size: 1 });
    expect(decoded(sized, { on: {} }).spec).toEqual({ on: { deep: "x" }, size: 1 });
  });

  test("stand in for null, except where null may be", () => {
    const nullable = fields({ size: { type: "integer", default: 1, nullable: true } });
    expect(decoded(sized, { size: null }).spec).toEqual({ size: 1 });
    expect(decoded(nullable, { size: null }).spec).toEqual({ size: null });
  });

  test("come before what they hold is filled in", () => {
    const nested = fields({ on: fields({ deep: { ...text, default: "x" } }, { default: {} }) });
    expect(decoded(nested, {}).spec).toEqual({ on: { deep: "x" } });
  });

  test("are copies: a change of one object reaches no other", () => {
    const node = schemaNode(
      fields({ spec: { type: "object", default: { list: [] }, "x-kubernetes-preserve-unknown-fields": true } }),
    );
    const [a, b] = [1, 2].map(() => decodeCustom(node, {}, new WorkMeter()).object as { spec: { list: number[] } });
    a?.spec.list.push(1);
    expect(b?.spec.list).toEqual([]);
  });

  test("null without a default goes where it may not be", () => {
    expect(decoded(fields({ a: text, b: { ...text, nullable: true } }), { a: null, b: null }).spec).toEqual({
      b: null,
    });
  });
});

describe("Lists", () => {
  const findItem = (list: JSONSchemaProps, value: unknown) =>
    validateListTypes(schemaNode(fields({ list })), { list: value }).map(
      ({ field, message }) => `${field}: ${message}`,
    );

  test("that are sets hold nothing twice", () => {
    const set: JSONSchemaProps = { type: "array", "x-kubernetes-list-type": "set", items: { type: "object" } };
    expect(findItem(set, [{ a: 1, b: 2 }, { a: 1 }, { a: 1, b: 2 }])).toEqual([
      'list[2]: Duplicate value: {"a":1,"b":2}',
    ]);
    expect(findItem({ ...set, "x-kubernetes-list-type": "atomic" }, ["a", "a"])).toEqual([]);
  });

  test("that are maps hold no key twice", () => {
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

test("An embedded resource says what it is", () => {
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
