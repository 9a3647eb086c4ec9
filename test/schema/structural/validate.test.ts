// Validation by a structural schema with upstream's messages, and ratcheting of updates.
import { WorkMeter } from "../../../shared/k8s/bounds/work.ts";
import { describe, expect, test } from "vitest";
import type { JSONSchemaProps } from "../../../shared/k8s/api/apiextensions-v1.ts";
import { Correlation } from "../../../shared/schema/structural/correlation.ts";
import { schemaNode } from "../../../shared/schema/structural/node.ts";
import { validateValue } from "../../../shared/schema/structural/validate.ts";

const text: JSONSchemaProps = { type: "string" };
const integerSchema: JSONSchemaProps = { type: "integer" };

function complaints(schema: JSONSchemaProps, value: unknown, before?: unknown): string[] {
  const node = schemaNode({ type: "object", properties: { x: schema } });
  const correlation = before === undefined ? undefined : new Correlation(node, { x: value }, { x: before });
  return validateValue(node, { x: value }, new WorkMeter(), correlation).map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

type Row = readonly [what: string, schema: JSONSchemaProps, value: unknown, complaint: string];

const refused: readonly Row[] = [
  ["a type", text, 5, 'x: Invalid value: "integer": x in body must be of type string: "integer"'],
  ["null", text, null, 'x: Invalid value: "null": x in body must be of type string: "null"'],
  [
    "a list for an object",
    { type: "object" },
    [],
    'x: Invalid value: "array": x in body must be of type object: "array"',
  ],
  [
    "a value that is neither int nor string",
    { "x-kubernetes-int-or-string": true },
    true,
    'x: Invalid value: "boolean": x in body must be of type integer,string: "boolean"',
  ],
  [
    "a number that is too small",
    { ...integerSchema, minimum: 3 },
    2,
    "x: Invalid value: 2: x in body should be greater than or equal to 3",
  ],
  [
    "a number at an open end",
    { ...integerSchema, maximum: 3, exclusiveMaximum: true },
    3,
    "x: Invalid value: 3: x in body should be less than 3",
  ],
  [
    "a number that is not a multiple",
    { ...integerSchema, multipleOf: 5 },
    7,
    "x: Invalid value: 7: x in body should be a multiple of 5",
  ],
  [
    "a whole number where the factor is a fraction",
    { type: "number", multipleOf: 0.5 },
    2,
    "x: Invalid value: 0: factor MultipleOf declared for x must be positive: 0",
  ],
  ["a number past 64 bits", text, 1e20, 'x: Invalid value: "number": x in body must be of type string: "number"'],
  ["a short text", { ...text, minLength: 2 }, "a", 'x: Invalid value: "a": x in body should be at least 2 chars long'],
  ["a long text", { ...text, maxLength: 2 }, "abc", "x: Too long: may not be more than 2 bytes"],
  ["another pattern", { ...text, pattern: "^a+$" }, "b", "x: Invalid value: \"b\": x in body should match '^a+$'"],
  [
    "another format",
    { ...text, format: "date-time" },
    "soon",
    'x: Invalid value: "soon": x in body must be of type date-time: "soon"',
  ],
  [
    "a value outside of the enum",
    { ...text, enum: ["a", "b"] },
    "c",
    'x: Unsupported value: "c": supported values: "a", "b"',
  ],
  [
    "few items",
    { type: "array", items: text, minItems: 1 },
    [],
    "x: Invalid value: 0: x in body should have at least 1 items",
  ],
  ["many items", { type: "array", items: text, maxItems: 1 }, ["a", "b"], "x: Too many: 2: must have at most 1 item"],
  [
    "an item",
    { type: "array", items: text },
    ["a", 1],
    'x[1]: Invalid value: "integer": x[1] in body must be of type string: "integer"',
  ],
  [
    "many properties",
    { type: "object", additionalProperties: text, maxProperties: 1 },
    { a: "", b: "" },
    "x: Too many: 2: must have at most 1 item",
  ],
  [
    "an entry",
    { type: "object", additionalProperties: integerSchema },
    { a: "1" },
    'x.a: Invalid value: "string": x.a in body must be of type integer: "string"',
  ],
  ["a field that is missing", { type: "object", properties: { a: text }, required: ["a"] }, {}, "x.a: Required value"],
  [
    "two of oneOf",
    { ...integerSchema, oneOf: [{ minimum: 1 }, { minimum: 2 }] },
    3,
    '<nil>: Invalid value: "": "x" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  ],
  [
    "a value that not forbids",
    { ...integerSchema, not: { minimum: 1 } },
    3,
    '<nil>: Invalid value: "": "x" must not validate the schema (not)',
  ],
];

describe("a structural schema", () => {
  test.each(refused)("refuses %s", (_, schema, value, complaint) => {
    expect(complaints(schema, value)).toEqual([complaint]);
  });

  test("refuses a fraction for an integer, also for its format", () => {
    expect(complaints(integerSchema, 1.5)).toEqual([
      'x: Invalid value: "number": x in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in x',
    ]);
  });

  test("refuses a value of none of anyOf with the errors of the nearest one", () => {
    expect(complaints({ anyOf: [text, integerSchema] }, true)).toEqual([
      '<nil>: Invalid value: "": "x" must validate at least one schema (anyOf)',
      'x: Invalid value: "boolean": x in body must be of type string: "boolean"',
    ]);
  });

  test("refuses a value for one of allOf with that schema's errors", () => {
    expect(complaints({ ...integerSchema, allOf: [{ minimum: 1 }, { minimum: 5 }] }, 3)).toEqual([
      "x: Invalid value: 3: x in body should be greater than or equal to 5",
      '<nil>: Invalid value: "": "x" must validate all the schemas (allOf)',
    ]);
  });

  const accepted: readonly (readonly [string, JSONSchemaProps, unknown])[] = [
    ["null in a nullable field", { ...text, nullable: true }, null],
    ["a whole number for a number", { type: "number" }, 3],
    ["an int or a string", { "x-kubernetes-int-or-string": true }, "80%"],
    ["an unknown format", { ...text, format: "of-my-own" }, "anything"],
    ["characters, not bytes", { ...text, maxLength: 1 }, "é"],
    ["a value of one schema of oneOf", { ...integerSchema, oneOf: [{ minimum: 1 }, { minimum: 5 }] }, 3],
    ["the end of an open pattern", { ...text, pattern: "b" }, "abc"],
  ];
  test.each(accepted)("accepts %s", (_, schema, value) => {
    expect(complaints(schema, value)).toEqual([]);
  });

  test("matches a pattern in time linear in the text", () => {
    expect(complaints({ ...text, pattern: "^(a+)+$" }, `${"a".repeat(20_000)}!`)).toHaveLength(1);
  });
});

describe("an update of a custom resource", () => {
  test("is ratcheted for unchanged values", () => {
    expect(complaints({ ...integerSchema, minimum: 3 }, 1, 1)).toEqual([]);
    expect(complaints({ ...integerSchema, minimum: 3 }, 2, 1)).toHaveLength(1);
  });

  test("is ratcheted for an unchanged item of a map list at any position", () => {
    const items: JSONSchemaProps = {
      type: "object",
      properties: { name: text, port: { ...integerSchema, minimum: 3 } },
    };
    const list: JSONSchemaProps = {
      type: "array",
      items,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    };
    const [old, fresh] = [
      { name: "a", port: 1 },
      { name: "b", port: 5 },
    ];
    expect(complaints(list, [fresh, old], [old])).toEqual([]);
    expect(complaints({ ...list, "x-kubernetes-list-type": "atomic" }, [fresh, old], [old])).toHaveLength(1);
  });
});
