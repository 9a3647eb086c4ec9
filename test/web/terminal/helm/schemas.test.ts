// Schemas of values: the messages of the library of Helm 3.21, github.com/santhosh-tekuri/jsonschema 6.0.2, recorded in `golden/schemas.jsonl`
// as `[schema, values, messages]`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isObject, type JsonObject } from "../../../../shared/schema/json-values.ts";
import type { Chart } from "../../../../web/terminal/shell/helm/chart/chart.ts";
import { schemaProblems } from "../../../../web/terminal/shell/helm/chart/schema.ts";

function chartWith(schema: unknown): Chart {
  return {
    name: "c",
    metadata: {},
    templates: [],
    files: [],
    raw: [],
    schema: JSON.stringify(schema),
    lock: null,
    values: {},
    requirements: [],
    dependencies: [],
    parent: undefined,
  };
}

function check(schema: unknown, values: JsonObject) {
  const warnings: string[] = [];
  const problems = schemaProblems(chartWith(schema), values, (text) => void warnings.push(text));
  return { problems, warnings };
}

/** Go's maps have no order, and so the library's messages. */
const sorted = (text: string) => text.split("\n").sort();

const golden = readFileSync(join(import.meta.dirname, "golden/schemas.jsonl"), "utf8")
  .trim()
  .split("\n");

test.each(golden)("the messages of %s are those of the library", (line) => {
  const [schema, values, messages] = JSON.parse(line) as [unknown, unknown, string];
  if (!isObject(values)) throw new Error("values are an object");
  const { problems, warnings } = check(schema, values);
  expect(sorted(problems)).toEqual(sorted(messages === "" ? "" : `c:\n${messages}`));
  expect(warnings).toEqual([]);
});

test("a keyword that is not checked is named once", () => {
  const draft7 = "http://json-schema.org/draft-07/schema#";
  const old = { $schema: draft7, additionalProperties: { format: "email", type: "string" } };
  expect(check(old, { a: "x", b: "y" }).warnings).toEqual([
    "WARNING: values.schema.json of c: format 'email' is not checked in this terminal",
  ]);
  const remote = { properties: { a: { $ref: "https://example.com/a.json" } }, unevaluatedProperties: false };
  expect(check(remote, { a: 1 }).warnings).toEqual([
    "WARNING: values.schema.json of c: unevaluatedProperties is not checked in this terminal",
    "WARNING: values.schema.json of c: $ref 'https://example.com/a.json' is not checked in this terminal",
  ]);
});

test("a schema that takes too many checks, refers to itself or to nothing is an error", () => {
  const many = Array.from({ length: 3000 }, (_, at) => ({ at }));
  expect(() => check({ properties: { a: { uniqueItems: true } } }, { a: many })).toThrow("it is too large");
  expect(() => check({ $ref: "#" }, {})).toThrow("it is too large or refers to itself");
  expect(() => check({ $ref: "#/$defs/none" }, {})).toThrow(
    'json-pointer in "file:///values.schema.json#/$defs/none" not found',
  );
});
