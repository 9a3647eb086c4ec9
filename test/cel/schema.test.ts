// Data of a schema: which types expressions see, how large it is taken to be, and which values it gives.
import { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { describe, expect, test } from "vitest";
import { escapeName, unescapeName } from "../../shared/cel/escape.ts";
import { estimate } from "../../shared/cel/cost/estimate.ts";
import { compile, evaluate } from "../../shared/cel/program.ts";
import type { Schema } from "../../shared/cel/schema.ts";
import { declaredType, maxCardinality, sizesOf } from "../../shared/cel/schema-types.ts";
import { schemaValue } from "../../shared/cel/schema-values.ts";

const schema: Schema = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", maxLength: 10 },
    when: { type: "string", format: "date-time" },
    day: { type: "string", format: "date" },
    timeout: { type: "string", format: "duration" },
    raw: { type: "string", format: "byte" },
    ratio: { type: "number" },
    count: { type: "integer" },
    port: { "x-kubernetes-int-or-string": true },
    set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    list: { type: "array", maxItems: 5, items: { type: "string", maxLength: 3 } },
    byName: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", properties: { name: { type: "string" }, value: { type: "integer" } } },
    },
    tags: { type: "object", additionalProperties: { type: "string" } },
    "a-b.c/d": { type: "string" },
    namespace: { type: "string" },
    unknown: { "x-kubernetes-preserve-unknown-fields": true },
    gone: { type: "string", nullable: true },
  },
};

function run(source: string, self: object) {
  const type = declaredType(schema, false, "self");
  if (!type) throw new Error("no type");
  const compiled = compile(source, { variables: new Map([["self", type.type]]) });
  if (!("program" in compiled)) return "problems" in compiled ? compiled.problems : compiled.planProblem;
  const outcome = evaluate(compiled.program, () => schemaValue(self, schema), new WorkMeter());
  return "value" in outcome ? outcome.value : outcome.error;
}

const self = {
  name: "n",
  when: "2024-01-02T03:04:05Z",
  day: "2024-01-02",
  timeout: "1h",
  raw: "aGk=",
  ratio: 1,
  count: 2,
  port: "80%",
  set: ["a", "b"],
  list: ["x"],
  byName: [
    { name: "p", value: 1 },
    { name: "q", value: 2 },
  ],
  tags: { "k/v": "t" },
  "a-b.c/d": "odd",
  namespace: "ns",
  unknown: { any: 1 },
  gone: null,
};

describe("CEL values with a schema", () => {
  test.each([
    "self.when.getFullYear() == 2024 && self.day < self.when",
    "self.timeout == duration('60m')",
    "self.raw == b'hi'",
    "type(self.ratio) == double && type(self.count) == int",
    "type(self.port) == string && self.port.endsWith('%')",
    "self.set == ['b', 'a'] && self.set + ['a', 'c'] == ['a', 'b', 'c']",
    "self.list + ['y'] == ['x', 'y'] && (self.list + self.list).size() == 2",
    "self.byName == [self.byName[1], self.byName[0]]",
    "(self.byName + [self.byName[0]]).size() == 2",
    "self.tags['k/v'] == 't' && self.tags.all(k, k.contains('/'))",
    "self.a__dash__b__dot__c__slash__d == 'odd' && self.__namespace__ == 'ns'",
    "!has(self.gone) && self.?gone.orValue('none') == 'none'",
    "self == self",
  ])("follow the schema: %s", (source) => {
    expect(run(source, self)).toBe(true);
  });

  test("are an error on access if the data violate the schema", () => {
    expect(run("self.count > 1", { count: "1" })).toBe("invalid data, expected int, got string");
    expect(run("self.when.getFullYear() > 1", { when: "soon" })).toMatch(/^Invalid date-time formatted string soon: /);
    expect(run("self.name == ''", { name: null })).toBe("no such key: name");
  });

  test("omit fields that the schema does not declare", () => {
    expect(run("self.nope == 1", self)).toContain("undefined field 'nope'");
    expect(run("has(self.unknown)", self)).toContain("undefined field 'unknown'");
    expect(run("self.name == 1", self)).toContain("found no matching overload for '_==_' applied to '(string, int)'");
  });
});

describe("estimated costs with a schema", () => {
  const type = declaredType(schema, false, "self");

  test.each([
    // Nothing bounds how many there are but the size of a request.
    ["self.set.all(x, x.size() > 0)", 6_291_453],
    ["self.list.all(x, x.size() > 0)", 33],
    ["self.name == 'abc'", 3],
    ["self.list.join('')", 8],
  ])("are bounded by sizes: %s", (source, most) => {
    if (!type) throw new Error("no type");
    const compiled = compile(source, { variables: new Map([["self", type.type]]) });
    if (!("program" in compiled)) throw new Error(JSON.stringify(compiled));
    expect(estimate(compiled.program.checked, sizesOf(type)).max).toBe(most);
  });

  test("use required fields for the number of objects in a request", () => {
    // {} and "name":"" and the comma after them
    expect(type && maxCardinality(type)).toBe(Math.floor((3 * 1024 * 1024) / (2 + 4 + 2 + 4 + 1)));
  });
});

test("field names that are no identifiers are escaped, and unescaped", () => {
  for (const [name, escaped] of [
    ["a.b-c/d", "a__dot__b__dash__c__slash__d"],
    ["a__b", "a__underscores__b"],
    ["namespace", "__namespace__"],
    ["plain_name", "plain_name"],
  ] as const) {
    expect(escapeName(name)).toBe(escaped);
    expect(unescapeName(escaped)).toBe(name);
  }
  expect(escapeName("1a")).toBeUndefined();
  expect(escapeName("ä")).toBeUndefined();
  expect(unescapeName("a__nope__b")).toBeUndefined();
});
