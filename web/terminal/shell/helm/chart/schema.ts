// Checks values against `values.schema.json`. References to other documents accept every value.
import { budgetOf, compilePattern, isPattern } from "../../../../../shared/base/pattern.ts";
import { getKey, isObject, type JsonObject } from "../../../../../shared/schema/json-values.ts";
import { deepEqual, isNil, sortedKeys } from "../template/values.ts";
import type { Chart } from "./chart.ts";

interface Problem {
  readonly path: string;
  readonly text: string;
  readonly causes: readonly Problem[];
}

const maxDepth = 200;
const maxChecks = 1_000_000;
const patternUnits = 100_000;

/** Returns the problems of a chart's values and of those of its dependencies, or an empty text. */
export function schemaProblems(chart: Chart, values: JsonObject): string {
  let text = "";
  if (chart.schema !== undefined) {
    const problems = new Validator(parsedSchema(chart.schema)).check(values);
    if (problems.length > 0) text += `${chart.name}:\n${problems.map((problem) => problemText(problem, "")).join("")}`;
  }
  for (const dependency of chart.dependencies) {
    const table = getKey(values, dependency.name);
    if (isNil(table)) continue;
    if (isObject(table)) text += schemaProblems(dependency, table);
    else text += `${dependency.name}:\ninvalid type for values: expected object (map), got ${typeof table}\n`;
  }
  return text;
}

function parsedSchema(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`unable to validate schema: ${error instanceof Error ? error.message : ""}`);
  }
}

function problemText({ path, text, causes }: Problem, indent: string): string {
  return `${indent}- at '${path}': ${text}\n${causes.map((cause) => problemText(cause, `${indent}  `)).join("")}`;
}

function typeOf(value: unknown): string {
  if (isNil(value)) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint" || typeof value === "number") return "number";
  return typeof value === "object" ? "object" : typeof value;
}

const isType = (value: unknown, type: string) =>
  type === "integer" ? typeof value === "bigint" || Number.isInteger(value) : typeOf(value) === type;
const display = (value: unknown) => (typeof value === "string" ? quoted(value) : JSON.stringify(value));
const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
const escaped = (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1");
const plural = (word: string, words: string, keys: readonly string[]) =>
  `${keys.length === 1 ? word : words} ${keys.map(quoted).join(", ")}`;

class Validator {
  readonly #root: unknown;
  #checks = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  check(value: unknown): Problem[] {
    return this.#all(value, this.#root, "", 0);
  }

  #all(value: unknown, schema: unknown, path: string, depth: number): Problem[] {
    if (depth > maxDepth || ++this.#checks > maxChecks)
      throw new Error("unable to validate schema: it is too large or refers to itself");
    if (schema === false) return [{ path, text: "false schema", causes: [] }];
    if (!isObject(schema)) return [];
    const target = typeof schema.$ref === "string" ? this.#reference(schema.$ref) : undefined;
    const referenced = target === undefined ? [] : this.#all(value, target, path, depth + 1);
    const types = schema.type === undefined ? [] : [schema.type].flat().map(String);
    if (types.length > 0 && !types.some((type) => isType(value, type)))
      return [...referenced, { path, text: `got ${typeOf(value)}, want ${types.join(" or ")}`, causes: [] }];
    return [
      ...referenced,
      ...this.#scalar(value, schema, path),
      ...(isObject(value) ? this.#object(value, schema, path, depth) : []),
      ...(Array.isArray(value) ? this.#list(value, schema, path, depth) : []),
      ...this.#combined(value, schema, path, depth),
    ];
  }

  #reference(reference: string): unknown {
    if (!reference.startsWith("#")) return undefined;
    let target: unknown = this.#root;
    for (const token of decodeURIComponent(reference.slice(1)).split("/").slice(1))
      target = isObject(target) ? getKey(target, token.replaceAll("~1", "/").replaceAll("~0", "~")) : undefined;
    return target;
  }

  #scalar(value: unknown, schema: JsonObject, path: string): Problem[] {
    const texts: string[] = [];
    const limit = (name: string, actual: number, isWrong: (limit: number) => boolean) => {
      const bound = schema[name];
      if (typeof bound === "number" && isWrong(bound)) texts.push(`${name}: got ${actual}, want ${bound}`);
    };
    const comparable = typeof value === "bigint" ? Number(value) : value;
    if ("const" in schema && !deepEqual(comparable, schema.const)) texts.push(`value must be ${display(schema.const)}`);
    if (Array.isArray(schema.enum) && !schema.enum.some((item) => deepEqual(item, comparable)))
      texts.push(
        schema.enum.length === 1
          ? `value must be ${display(schema.enum[0])}`
          : `value must be oneResults of ${schema.enum.map(display).join(", ")}`,
      );
    if (typeof comparable === "number") {
      limit("minimum", comparable, (bound) => comparable < bound);
      limit("maximum", comparable, (bound) => comparable > bound);
      limit("exclusiveMinimum", comparable, (bound) => comparable <= bound);
      limit("exclusiveMaximum", comparable, (bound) => comparable >= bound);
      if (typeof schema.multipleOf === "number" && !Number.isInteger(comparable / schema.multipleOf))
        texts.push(`multipleOf: got ${comparable}, want ${schema.multipleOf}`);
    }
    if (typeof value === "string") {
      const { length } = [...value];
      limit("minLength", length, (bound) => length < bound);
      limit("maxLength", length, (bound) => length > bound);
      if (typeof schema.pattern === "string" && !fits(schema.pattern, value))
        texts.push(`${quoted(value)} does not match pattern ${quoted(schema.pattern)}`);
    }
    return texts.map((text) => ({ path, text, causes: [] }));
  }

  #object(value: JsonObject, schema: JsonObject, path: string, depth: number): Problem[] {
    const problems: Problem[] = [];
    const keys = sortedKeys(value);
    const add = (text: string) => void problems.push({ path, text, causes: [] });
    const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
    const absent = required.filter((key) => !Object.hasOwn(value, key));
    if (absent.length > 0) add(`missing ${plural("property", "properties", absent)}`);
    if (typeof schema.minProperties === "number" && keys.length < schema.minProperties)
      add(`minProperties: got ${keys.length}, want ${schema.minProperties}`);
    if (typeof schema.maxProperties === "number" && keys.length > schema.maxProperties)
      add(`maxProperties: got ${keys.length}, want ${schema.maxProperties}`);
    const properties = isObject(schema.properties) ? schema.properties : {};
    const patterns = isObject(schema.patternProperties) ? schema.patternProperties : {};
    const additional: string[] = [];
    for (const key of keys) {
      const place = `${path}/${escaped(key)}`;
      const inner = [
        ...(Object.hasOwn(properties, key) ? [properties[key]] : []),
        ...Object.keys(patterns)
          .filter((pattern) => fits(pattern, key))
          .map((pattern) => patterns[pattern]),
      ];
      if (inner.length === 0) additional.push(key);
      for (const item of inner) problems.push(...this.#all(value[key], item, place, depth + 1));
    }
    if (schema.additionalProperties === false && additional.length > 0)
      add(`additional properties ${additional.map(quoted).join(", ")} not allowed`);
    else if (isObject(schema.additionalProperties))
      for (const key of additional)
        problems.push(...this.#all(value[key], schema.additionalProperties, `${path}/${escaped(key)}`, depth + 1));
    return problems;
  }

  #list(value: readonly unknown[], schema: JsonObject, path: string, depth: number): Problem[] {
    const problems: Problem[] = [];
    const { items, minItems, maxItems } = schema;
    const { length } = value;
    if (typeof minItems === "number" && length < minItems)
      problems.push({ path, text: `minItems: got ${length}, want ${minItems}`, causes: [] });
    if (typeof maxItems === "number" && length > maxItems)
      problems.push({ path, text: `maxItems: got ${length}, want ${maxItems}`, causes: [] });
    for (const [at, item] of value.entries()) {
      const inner: unknown = Array.isArray(items) ? items[at] : items;
      if (inner !== undefined) problems.push(...this.#all(item, inner, `${path}/${at}`, depth + 1));
    }
    return problems;
  }

  #combined(value: unknown, schema: JsonObject, path: string, depth: number): Problem[] {
    const problems: Problem[] = [];
    const each = (keyword: string): Problem[][] => {
      const list = schema[keyword];
      return Array.isArray(list) ? list.map((item) => this.#all(value, item, path, depth + 1)) : [];
    };
    const all = each("allOf").flat();
    if (all.length > 0) problems.push({ path, text: "'allOf' failed", causes: all });
    const any = each("anyOf");
    if (any.length > 0 && !any.some((result) => result.length === 0))
      problems.push({ path, text: "'anyOf' failed", causes: any.flat() });
    const oneResults = each("oneOf");
    const matches = oneResults.flatMap((result, at) => (result.length === 0 ? [at] : []));
    if (oneResults.length > 0 && matches.length === 0)
      problems.push({ path, text: "'oneOf' failed, none matched", causes: oneResults.flat() });
    if (matches.length > 1)
      problems.push({
        path,
        text: `'oneOf' failed, subschemas ${matches[0] ?? 0}, ${matches[1] ?? 0} matched`,
        causes: [],
      });
    if (schema.not !== undefined && this.#all(value, schema.not, path, depth + 1).length === 0)
      problems.push({ path, text: "'not' failed", causes: [] });
    if (schema.if !== undefined) {
      const branch = this.#all(value, schema.if, path, depth + 1).length === 0 ? schema.then : schema.else;
      if (branch !== undefined) problems.push(...this.#all(value, branch, path, depth + 1));
    }
    return problems;
  }
}

function fits(source: string, text: string): boolean {
  const pattern = compilePattern(source, { withoutGroups: true });
  return !isPattern(pattern) || pattern.test(text, budgetOf(patternUnits));
}
