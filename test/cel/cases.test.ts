// Recorded CEL expressions: value or error, cost, and estimated cost.
import { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { estimate } from "../../shared/cel/cost/estimate.ts";
import { authorizerType } from "../../shared/cel/functions.ts";
import { durationText, goDouble, timestampText } from "../../shared/cel/go-text.ts";
import { dynValue } from "../../shared/cel/json-value.ts";
import { compile, evaluate } from "../../shared/cel/program.ts";
import {
  type CelType,
  bytesType,
  declaredText,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  timestampType,
} from "../../shared/cel/types.ts";
import {
  type DurationValue,
  type ListValue,
  type MapValue,
  type OptionalValue,
  type TimestampValue,
  type TypeValue,
  type Value,
  itemsOf,
  kindOf,
  sizeOf,
  typeNameOf,
} from "../../shared/cel/values.ts";
import { valueText } from "../../shared/cel/value-text.ts";

interface Case {
  readonly expression: string;
  readonly value?: string;
  /** The type of a value that has no text. */
  readonly type?: string;
  readonly error?: string;
  /** Does not compile. */
  readonly problems?: string;
  /** Compiles, but can never run. */
  readonly refused?: string;
  readonly cost?: number;
  readonly estimate?: readonly [number, number];
}

interface Given {
  readonly types: ReadonlyMap<string, CelType>;
  readonly data: Readonly<Record<string, unknown>>;
}

const container = (name: string, image: string, more = {}) => ({ name, image, ...more });
const object = {
  spec: {
    replicas: 3,
    template: {
      spec: { containers: [container("a", "x/y:1", { ports: [{ containerPort: 80 }] }), container("b", "z")] },
    },
  },
  metadata: { name: "n", labels: { app: "web", "k8s.io/x": "1" } },
  f: 1.5,
};

/** The variables that the cases of a file can name. */
const activations: Readonly<Record<string, Given>> = {
  data: { types: new Map([["object", dynType]]), data: { object } },
  dynamic: { types: new Map(["s", "b"].map((name) => [name, dynType])), data: { s: "abc", b: 7 } },
  costs: {
    types: new Map<string, CelType>([
      ["s", stringType],
      ["l", listType(stringType)],
      ["n", intType],
      ["m", mapType(stringType, stringType)],
      ["ll", listType(listType(intType))],
      ["t", timestampType],
      ["b", bytesType],
    ]),
    data: { s: "hello", l: ["a", "bb"], n: 5, m: { a: "b" }, ll: [[1, 2], [3]] },
  },
  authorizer: { types: new Map([["authorizer", authorizerType]]), data: {} },
};
const nothing: Given = { types: new Map(), data: {} };

const root = join(import.meta.dirname, "cases");
for (const file of readdirSync(root)) {
  const name = file.replace(".json", "");
  // The test's own files have this form.
  const cases = JSON.parse(readFileSync(join(root, file), "utf8")) as Case[];
  describe(name, () => {
    test.each(cases)("$expression has its recorded result", (testCase) => {
      expect(outcomeOf(testCase, activations[name] ?? nothing)).toEqual(testCase);
    });
  });
}

function outcomeOf({ expression }: Case, { types, data }: Given): Case {
  const compiled = compile(expression, { variables: types });
  if ("problems" in compiled) return { expression, problems: compiled.problems };
  if ("planProblem" in compiled) return { expression, refused: compiled.planProblem };
  const { program } = compiled;
  const { min, max } = estimate(program.checked, () => ({ min: 0, max: 100 }));
  const outcome = evaluate(program, (name) => variable(name, data), new WorkMeter());
  const cost = { cost: outcome.cost, estimate: [min, max] as const };
  if ("error" in outcome) return { expression, error: outcome.error, ...cost };
  const text = displayText(outcome.value);
  return { expression, ...(text === undefined ? { type: declaredText(program.result) } : { value: text }), ...cost };
}

function variable(name: string, data: Given["data"]): Value | undefined {
  return name in data ? dynValue(data[name]) : undefined;
}

/** Undefined for values of the libraries, which have no text. */
function displayText(value: Value): string | undefined {
  switch (kindOf(value)) {
    case "string":
      return JSON.stringify(value);
    case "list": {
      const items = Array.from(itemsOf(value as ListValue), displayText);
      return `[${items.join(", ")}]`;
    }
    case "map":
      return `map/${sizeOf(value as MapValue)}`;
    case "optional": {
      const { value: inner } = value as OptionalValue;
      if (inner === undefined) return "optional.none";
      const text = displayText(inner);
      return text === undefined ? undefined : `optional(${text})`;
    }
    case "timestamp":
      return `google.protobuf.Timestamp(${timestampText((value as TimestampValue).ns)})`;
    case "duration":
      return `google.protobuf.Duration(${durationText((value as DurationValue).ns)})`;
    case "bytes":
      return `bytes([${[...(value as Uint8Array)].join(" ")}])`;
    case "type":
      return `type(${(value as TypeValue).name})`;
    case "null":
      return "null_type(NULL_VALUE)";
    case "double":
      return `double(${goDouble(value as number)})`;
    case "opaque":
      return undefined;
    default:
      return `${typeNameOf(value)}(${valueText(value, () => undefined)})`;
  }
}
