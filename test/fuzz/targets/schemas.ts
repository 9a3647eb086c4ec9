// Expressions, patterns and schemas: CEL, RE2, CustomResourceDefinitions and the objects that they describe.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { budgetOf, compilePattern, isPattern } from "../../../shared/base/pattern.ts";
import { estimate } from "../../../shared/cel/cost/estimate.ts";
import { dynValue } from "../../../shared/cel/json-value.ts";
import { compile, evaluate } from "../../../shared/cel/program.ts";
import { type CelType, dynType, intType, listType, mapType, stringType } from "../../../shared/cel/types.ts";
import { valueText } from "../../../shared/cel/value-text.ts";
import { rootPath } from "../../../shared/k8s/field.ts";
import { decode } from "../../../shared/schema/decode.ts";
import { parseJson } from "../../../shared/schema/json.ts";
import { applyDefaults } from "../../../shared/schema/structural/defaults.ts";
import { validateDefaults } from "../../../shared/schema/structural/default-values.ts";
import { validateListTypes } from "../../../shared/schema/structural/list-types.ts";
import { validateCompleteness } from "../../../shared/schema/structural/completeness.ts";
import { schemaNode } from "../../../shared/schema/structural/node.ts";
import { runRules } from "../../../shared/schema/structural/run-rules.ts";
import { compileRules } from "../../../shared/schema/structural/rules.ts";
import { structuralSchema } from "../../../shared/schema/structural/schema.ts";
import { propsOf, validateStructural } from "../../../shared/schema/structural/structurality.ts";
import { unreadable } from "../../../shared/schema/structural/unsupported.ts";
import { validateValue } from "../../../shared/schema/structural/validate.ts";
import type { JSONSchemaProps } from "../../../shared/k8s/api/apiextensions-v1.ts";
import { apiResultOf, resultOf, sameJson, type Target } from "../target.ts";

const cases = join(import.meta.dirname, "../../cel/cases");
const expressions = readdirSync(cases).flatMap((file) => {
  // The file is one of the repository's own.
  const all = JSON.parse(readFileSync(join(cases, file), "utf8")) as { expression: string }[];
  return all.map(({ expression }) => expression);
});
const data: Readonly<Record<string, unknown>> = {
  object: {
    metadata: { name: "n", labels: { app: "web" } },
    spec: { replicas: 3, list: [1, "a", { b: null }] },
    f: 1.5,
  },
  s: "abc",
  l: ["a", "b"],
  n: 7,
  m: { a: "1" },
};
const variables = new Map<string, CelType>([
  ["object", dynType],
  ["s", stringType],
  ["l", listType(stringType)],
  ["n", intType],
  ["m", mapType(stringType, stringType)],
]);

const cel: Target = {
  name: "CEL expression",
  corpus: expressions,
  words: [
    ...[
      "object",
      "object.spec.list",
      "s",
      "l",
      "n",
      "m",
      ".all(x, ",
      ".exists(i, v, ",
      ".map(x, ",
      ".filter(x, ",
      ".transformMap(k, v, ",
    ],
    ...[
      "has(",
      ")",
      "[",
      "]",
      "{",
      "}",
      "?",
      ":",
      "&&",
      "||",
      "!",
      "-",
      "==",
      "in",
      "<",
      "+",
      "%",
      "*",
      "/",
      "1u",
      "1.0",
      "b'\\xff'",
    ],
    ...[
      "r'\\'",
      '"""',
      "dyn(",
      "type(",
      "int(",
      "string(",
      "duration('1h')",
      "timestamp('2026-01-01T00:00:00Z')",
      "optional.of(",
      ".?a",
    ],
    ...[
      "[?",
      ".orValue(",
      ".format([",
      "'%s'",
      ".matches('",
      ".split(",
      ".join(",
      "cel.bind(x, ",
      "quantity('1Gi')",
      "ip('::1')",
      "url('http://a')",
    ],
    ...[
      "sets.contains(",
      ".sum()",
      ".sort()",
      ".replace(",
      "null",
      "true",
      "x",
      "math.greatest(",
      "base64.encode(",
      "lists.range(",
      "\\u0000",
    ],
  ],
  nests: [
    ["has(", ")"],
    ["!", ""],
    ["-", ""],
    ["[1].all(x, ", ")"],
    ["{1: ", "}"],
    ["true ? ", " : 1"],
    ["1+", ""],
    ["a.", ""],
    ["dyn(", ")"],
  ],
  run: (input) => {
    const compiled = apiResultOf(() => compile(input, { variables, hasJsonPatch: true }));
    if (!compiled || !("program" in compiled)) return;
    const { program } = compiled;
    apiResultOf(() => estimate(program.checked, () => undefined));
    const outcome = apiResultOf((meter) => evaluate(program, (name) => dynValue(data[name]), meter));
    if (outcome && "value" in outcome) apiResultOf((meter) => valueText(outcome.value, (units) => meter.charge(units)));
  },
};

const patterns: Target = {
  name: "RE2 pattern",
  corpus: [
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    "(?i)a|b+?c*",
    "\\d{2,5}\\bfoo\\B",
    "(?P<name>[[:alpha:]]+)",
    "[^\\pL\\x{10FFFF}]",
    "(a*)*b",
    "\\Qa.b\\E",
    "x{0,1000}",
  ],
  words: [
    "(",
    ")",
    "(?:",
    "(?i)",
    "(?P<n>",
    "[",
    "]",
    "^",
    "$",
    "*",
    "+",
    "?",
    "{1,9}",
    "{1000}",
    "|",
    ".",
    "\\d",
    "\\b",
    "\\pL",
    "\\x{",
    "}",
    "[:alpha:]",
    "-",
    "\\Q",
    "\\E",
    "\\C",
    "(?=",
    "\\1",
  ],
  nests: [
    ["(", ")*"],
    ["(?:", "){9}"],
    ["[", "]"],
    ["(?i:", ")"],
    ["a|", ""],
  ],
  share: 400,
  run: (input) => {
    const pattern = resultOf(() => compilePattern(input));
    if (!pattern || !isPattern(pattern)) return;
    for (const text of ["", "abcfoo 123 é𐀀", "a".repeat(200), input.slice(0, 200)]) {
      for (const match of pattern.findAll(text, budgetOf(20_000))) {
        if (text.slice(match.start, match.end) !== match.groups[0]) throw new Error("a match is not where it says");
      }
    }
    // JavaScript reads these simple patterns in the same way.
    if (/^[a-z0-9+?.|*]*$/.test(input) && input.length < 20) {
      const expected = javascriptPattern(input);
      for (const text of ["abc", "b1", ""])
        if (expected && pattern.test(text, budgetOf(20_000)) !== expected.test(text))
          throw new Error(`JavaScript disagrees on ${text}`);
    }
  },
};

function javascriptPattern(source: string): RegExp | undefined {
  try {
    return new RegExp(source, "su");
  } catch {
    return undefined;
  }
}

const propsType = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
const schema = JSON.stringify({
  type: "object",
  required: ["spec"],
  properties: {
    spec: {
      type: "object",
      "x-kubernetes-validations": [
        { rule: "self.min <= self.max && oldSelf.min == self.min", messageExpression: "'m' + string(self.min)" },
      ],
      properties: {
        min: { type: "integer", format: "int32", default: 1, minimum: 0 },
        max: { type: "integer", multipleOf: 2, exclusiveMaximum: true, maximum: 9 },
        list: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          maxItems: 5,
          items: { type: "object", required: ["k"], properties: { k: { type: "string", enum: ["a", "b"] } } },
        },
        any: { "x-kubernetes-preserve-unknown-fields": true },
        port: { "x-kubernetes-int-or-string": true },
        map: { type: "object", additionalProperties: { type: "string", pattern: "^a+$", nullable: true } },
        when: { type: "string", format: "date-time" },
        sub: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
        one: { type: "string", oneOf: [{ pattern: "a" }, { minLength: 3 }], not: { enum: ["z"] } },
      },
    },
  },
});
const custom =
  '{"apiVersion":"a/v1","kind":"A","metadata":{"name":"n"},"spec":{"min":2,"max":4,"list":[{"k":"a"}],"any":{"x":[1]},"port":"80","map":{"b":null},"when":"2026-01-01T00:00:00Z","sub":{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":1}}},"one":"abc","extra":1}}';
const schemaWords = [
  ...[
    '"type":',
    '"object"',
    '"array"',
    '"string"',
    '"integer"',
    '"number"',
    '"boolean"',
    '"properties":',
    '"items":',
    '"default":',
    '"enum":',
  ],
  ...[
    '"format":',
    '"date"',
    '"duration"',
    '"ipv4"',
    '"uri"',
    '"byte"',
    '"pattern":',
    '"nullable":true',
    '"required":',
    '"additionalProperties":',
  ],
  ...[
    '"x-kubernetes-validations":',
    '{"rule":"self == oldSelf"}',
    '{"rule":"self.all(x, x)"}',
    '"x-kubernetes-list-type":',
    '"set"',
    '"map"',
    '"atomic"',
  ],
  ...[
    '"x-kubernetes-preserve-unknown-fields":true',
    '"x-kubernetes-int-or-string":true',
    '"x-kubernetes-embedded-resource":true',
    '"not":',
    '"anyOf":',
  ],
  ...[
    '"oneOf":',
    '"allOf":',
    '"multipleOf":0.1',
    '"minimum":',
    '"maxLength":',
    '"$ref":"#"',
    '"uniqueItems":true',
    "{",
    "}",
    "[",
    "]",
    ",",
    "null",
    "1e300",
    "\n",
  ],
];

const schemas: Target = {
  name: "structural schema",
  corpus: [
    `${schema}\n${custom}`,
    `{"type":"object","x-kubernetes-preserve-unknown-fields":true}\n${custom}`,
    `${schema}\n{"spec":null}`,
  ],
  words: schemaWords,
  nests: [
    ['{"type":"object","properties":{"a":', "}}"],
    ['{"type":"array","items":', "}"],
    ['{"not":', "}"],
    ['{"a":', "}"],
    ["[", "]"],
  ],
  share: 500,
  run: (input) => {
    const [text = "", value = "{}"] = input.split("\n");
    const json = apiResultOf(() => parseJson(text).value);
    const object = apiResultOf(() => parseJson(value).value);
    // Decoding made it of this type.
    const props = apiResultOf(() => decode(propsType, json).object) as JSONSchemaProps | undefined;
    if (props === undefined) return;
    const errors = apiResultOf((meter) => [
      ...validateStructural(props, rootPath, meter),
      ...validateCompleteness(props, rootPath),
    ]);
    if (!errors || apiResultOf(() => unreadable(props) ?? "") !== "" || !propsOf(props)) return;
    apiResultOf(() => compileRules(props, true));
    if (errors.length > 0) return;
    apiResultOf((meter) => validateDefaults(props, rootPath, true, () => [], meter));
    const decoded = apiResultOf((meter) => structuralSchema(meter, props).decode(object));
    if (!decoded) return;
    const node = schemaNode(props);
    apiResultOf((meter) => validateValue(node, decoded.object, meter));
    apiResultOf((meter) => runRules(node, decoded.object, { isRoot: true, at: rootPath, old: decoded.object, meter }));
    apiResultOf(() => validateListTypes(node, decoded.object));
    apiResultOf((meter) => structuralSchema(meter, props).complaint?.(decoded.object as object));
    // No refusal but that of the budget is allowed here: the object has been decoded before.
    resultOf((meter) => {
      const again = structuredClone(decoded.object);
      applyDefaults(again, node, meter);
      sameJson(again, decoded.object, "defaults that are applied twice");
    });
    resultOf((meter) => {
      const again = structuralSchema(meter, props).decode(decoded.object).object;
      sameJson(again, decoded.object, "an object that is pruned twice");
    });
  },
};

export const schemaTargets: readonly Target[] = [cel, patterns, schemas];
