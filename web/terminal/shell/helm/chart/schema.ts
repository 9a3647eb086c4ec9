// Checks values against `values.schema.json` with the messages of Helm's library. A keyword that is not checked is named in a warning.
import { budgetOf, compilePattern, isPattern } from "../../../../../shared/base/pattern.ts";
import { getKey, isObject, type JsonObject } from "../../../../../shared/schema/json-values.ts";
import { deepEqual, isNil, sortedKeys } from "../template/values.ts";
import type { Chart } from "./chart.ts";

interface Problem {
  readonly path: string;
  readonly text: string;
  readonly causes: readonly Problem[];
  /** True for the problems of one place together. */
  readonly isGroup?: boolean;
}

const maxDepth = 200;
const maxChecks = 1_000_000;
const patternUnits = 100_000;

/** Keywords that are not checked, whatever the draft of the schema. */
const uncheckedKeywords = ["unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef"];

/** Returns the problems of a chart's values and of those of its dependencies, or an empty text. */
export function schemaProblems(chart: Chart, values: JsonObject, warn: (text: string) => void): string {
  let text = "";
  if (chart.schema !== undefined) {
    const validator = new Validator(parsedSchema(chart.schema));
    const problems = validator.check(values);
    for (const keyword of validator.unchecked)
      warn(`WARNING: values.schema.json of ${chart.name}: ${keyword} is not checked in this terminal`);
    if (problems.length > 0) text += `${chart.name}:\n${problems.map((problem) => problemText(problem, "")).join("")}`;
  }
  for (const dependency of chart.dependencies) {
    const table = getKey(values, dependency.name);
    if (isNil(table)) continue;
    if (isObject(table)) text += schemaProblems(dependency, table, warn);
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
const isSimple = (value: unknown) => typeof value !== "object" || value === null;
const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
const escaped = (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1");
const plural = (word: string, words: string, keys: readonly string[]) =>
  `${keys.length === 1 ? word : words} ${keys.map(quoted).join(", ")}`;

const typeOrder = ["null", "boolean", "number", "integer", "string", "array", "object"];

/** Returns the problem of a value that is not one of those that `const` and `enum` allow. */
function choiceProblem(value: unknown, schema: JsonObject): string | undefined {
  const comparable = typeof value === "bigint" ? Number(value) : value;
  if ("const" in schema && !deepEqual(comparable, schema.const))
    return isSimple(schema.const) ? `value must be ${display(schema.const)}` : "'const' failed";
  const { enum: choices } = schema;
  if (!Array.isArray(choices) || choices.some((item) => deepEqual(item, comparable))) return undefined;
  if (!choices.every(isSimple)) return "'enum' failed";
  return choices.length === 1
    ? `value must be ${display(choices[0])}`
    : `value must be one of ${choices.map(display).join(", ")}`;
}

/** Decimal fractions are not exact in binary. */
const rounding = 1e-9;

function isMultiple(value: number, factor: number): boolean {
  const ratio = value / factor;
  return Math.abs(ratio - Math.round(ratio)) <= rounding * Math.max(1, Math.abs(ratio));
}

class Validator {
  /** The keywords that were met, but not checked. */
  readonly unchecked = new Set<string>();
  readonly #root: unknown;
  /** Drafts up to 7 ignore the keywords beside `$ref`, and check formats. */
  readonly #isOld: boolean;
  #checks = 0;

  constructor(root: unknown) {
    this.#root = root;
    this.#isOld = isObject(root) && typeof root.$schema === "string" && /draft-0[3-7]/.test(root.$schema);
  }

  check(value: unknown): Problem[] {
    const problems = this.#all(value, this.#root, "", 0);
    return problems.flatMap((problem) => (problem.isGroup ? problem.causes : [problem]));
  }

  #count(): void {
    if (++this.#checks > maxChecks) throw new Error("unable to validate schema: it is too large or refers to itself");
  }

  #noteUnchecked(value: unknown, schema: JsonObject): void {
    for (const keyword of uncheckedKeywords) if (keyword in schema) this.unchecked.add(keyword);
    if (this.#isOld && typeof schema.format === "string" && typeof value === "string")
      this.unchecked.add(`format ${quoted(schema.format)}`);
  }

  #all(value: unknown, schema: unknown, path: string, depth: number): Problem[] {
    if (depth > maxDepth) throw new Error("unable to validate schema: it is too large or refers to itself");
    this.#count();
    if (schema === false) return [{ path, text: "false schema", causes: [] }];
    if (!isObject(schema)) return [];
    const target = typeof schema.$ref === "string" ? this.#reference(schema.$ref) : undefined;
    const referenced = target === undefined ? [] : this.#all(value, target, path, depth + 1);
    if (this.#isOld && typeof schema.$ref === "string") return referenced;
    this.#noteUnchecked(value, schema);
    const types = schema.type === undefined ? [] : [schema.type].flat().map(String);
    if (types.length > 0 && !types.some((type) => isType(value, type))) {
      const sorted = typeOrder.filter((type) => types.includes(type));
      return [{ path, text: `got ${typeOf(value)}, want ${sorted.join(" or ")}`, causes: [] }];
    }
    const choice = choiceProblem(value, schema);
    if (choice !== undefined) return [{ path, text: choice, causes: [] }];
    const problems = [
      ...referenced.map(({ isGroup: _isGroup, ...problem }) => problem),
      ...this.#scalar(value, schema, path),
      ...(isObject(value) ? this.#object(value, schema, path, depth) : []),
      ...(Array.isArray(value) ? this.#list(value, schema, path, depth) : []),
      ...this.#combined(value, schema, path, depth),
    ];
    return problems.length > 1 ? [{ path, text: "validation failed", causes: problems, isGroup: true }] : problems;
  }

  #reference(reference: string): unknown {
    if (!reference.startsWith("#")) {
      this.unchecked.add(`$ref ${quoted(reference)}`);
      return undefined;
    }
    const anchor = /^#([A-Za-z_][\w.-]*)$/.exec(reference)?.[1];
    if (anchor !== undefined) return this.#anchored(anchor);
    let target: unknown = this.#root;
    for (const token of decodeURIComponent(reference.slice(1)).split("/").slice(1))
      target = Array.isArray(target)
        ? (target[Number(token)] as unknown)
        : isObject(target)
          ? getKey(target, token.replaceAll("~1", "/").replaceAll("~0", "~"))
          : undefined;
    if (target === undefined) throw new Error(`json-pointer in "file:///values.schema.json${reference}" not found`);
    return target;
  }

  /** Returns the definition with an anchor. */
  #anchored(anchor: string): unknown {
    const root = isObject(this.#root) ? this.#root : {};
    for (const name of ["$defs", "definitions"]) {
      const definitions = root[name];
      if (!isObject(definitions)) continue;
      const match = Object.values(definitions).find(
        (item) => isObject(item) && (item.$anchor === anchor || item.$id === `#${anchor}`),
      );
      if (match !== undefined) return match;
    }
    throw new Error(`unable to validate schema: ${quoted(`#${anchor}`)} not found`);
  }

  #scalar(value: unknown, schema: JsonObject, path: string): Problem[] {
    const texts: string[] = [];
    const limit = (name: string, actual: number, isWrong: (limit: number) => boolean) => {
      const bound = schema[name];
      if (typeof bound === "number" && isWrong(bound)) texts.push(`${name}: got ${actual}, want ${bound}`);
    };
    const comparable = typeof value === "bigint" ? Number(value) : value;
    if (typeof comparable === "number") {
      limit("minimum", comparable, (bound) => comparable < bound);
      limit("maximum", comparable, (bound) => comparable > bound);
      limit("exclusiveMinimum", comparable, (bound) => comparable <= bound);
      limit("exclusiveMaximum", comparable, (bound) => comparable >= bound);
      if (typeof schema.multipleOf === "number" && !isMultiple(comparable, schema.multipleOf))
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
    problems.push(...this.#dependent(value, schema, path, depth));
    for (const key of keys) {
      if (schema.propertyNames !== undefined) {
        const causes = this.#all(key, schema.propertyNames, path, depth + 1);
        if (causes.length > 0) problems.push({ path, text: `invalid propertyName ${quoted(key)}`, causes });
      }
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

  /** Checks what the presence of a property demands. */
  #dependent(value: JsonObject, schema: JsonObject, path: string, depth: number): Problem[] {
    const problems: Problem[] = [];
    for (const keyword of ["dependentRequired", "dependencies", "dependentSchemas"]) {
      const rules = schema[keyword];
      if (!isObject(rules)) continue;
      for (const [key, rule] of Object.entries(rules)) {
        if (!Object.hasOwn(value, key)) continue;
        if (!Array.isArray(rule)) {
          problems.push(...this.#all(value, rule, path, depth + 1));
          continue;
        }
        const absent = rule.map(String).filter((name) => !Object.hasOwn(value, name));
        if (absent.length === 0) continue;
        const list = absent.map(quoted).join(", ");
        problems.push({ path, text: `properties ${list} required, if ${quoted(key)} exists`, causes: [] });
      }
    }
    return problems;
  }

  #list(value: readonly unknown[], schema: JsonObject, path: string, depth: number): Problem[] {
    const problems: Problem[] = [];
    const { minItems, maxItems } = schema;
    const { length } = value;
    const add = (text: string) => void problems.push({ path, text, causes: [] });
    if (typeof minItems === "number" && length < minItems) add(`minItems: got ${length}, want ${minItems}`);
    if (typeof maxItems === "number" && length > maxItems) add(`maxItems: got ${length}, want ${maxItems}`);
    if (schema.uniqueItems === true) {
      const equal = this.#equalItems(value);
      if (equal) add(`items at ${equal[0]} and ${equal[1]} are equal`);
    }
    if (schema.contains !== undefined) problems.push(...this.#contained(value, schema, path, depth));
    const { prefixItems, items, additionalItems } = schema;
    const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const rest: unknown = Array.isArray(items) ? additionalItems : items;
    if (rest === false && Array.isArray(items) && length > first.length)
      add(`last ${length - first.length} additionalItem(s) not allowed`);
    for (const [at, item] of value.entries()) {
      const inner: unknown = at < first.length ? first[at] : rest === false && Array.isArray(items) ? undefined : rest;
      // Upstream counts the items after the first ones from 0.
      const place = at < first.length ? at : at - first.length;
      if (inner !== undefined) problems.push(...this.#all(item, inner, `${path}/${place}`, depth + 1));
    }
    return problems;
  }

  #equalItems(value: readonly unknown[]): readonly [number, number] | undefined {
    for (const [second, item] of value.entries())
      for (let first = 0; first < second; first++) {
        this.#count();
        if (deepEqual(value[first], item)) return [first, second];
      }
    return undefined;
  }

  #contained(value: readonly unknown[], schema: JsonObject, path: string, depth: number): Problem[] {
    const { contains, minContains, maxContains } = schema;
    const results = value.map((item, at) => this.#all(item, contains, `${path}/${at}`, depth + 1));
    const matches = results.flatMap((result, at) => (result.length === 0 ? [at] : []));
    const problem = (text: string, causes: readonly Problem[]) => [{ path, text, causes }];
    const least = typeof minContains === "number" ? minContains : 1;
    if (matches.length < least) {
      if (typeof minContains !== "number") return problem("no items match contains schema", results.flat());
      const count = matches.length === 0 ? "none matched" : `matched ${matches.length} items at ${matches.join(" ")}`;
      return problem(`min ${least} items required to match contains schema, but ${count}`, results.flat());
    }
    if (typeof maxContains !== "number" || matches.length <= maxContains) return [];
    return problem(
      `max ${maxContains} items required to match contains schema, but matched ${matches.length} items at ${matches.join(" ")}`,
      [],
    );
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
