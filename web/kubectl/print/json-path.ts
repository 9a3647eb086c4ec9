// Kubernetes' JSONPath templates: text with expressions in braces, as used by `-o jsonpath`, `--sort-by` and custom columns.
import { isObject } from "../../../shared/schema/json-values.ts";
import { escapeTerminal } from "./escape.ts";
import { goValue } from "./go-value.ts";
import { compactJson, indented } from "./json.ts";
import { type Node, type Operand, parseTemplate } from "./json-path-parser.ts";
import { sortedCopy } from "../../../shared/schema/sorted-json.ts";

export interface Template {
  /** Returns a list of results for each expression. */
  results(value: unknown): unknown[][];
  /** Returns the text of all results. */
  text(value: unknown): string;
  /** Returns all results as one JSON list. */
  json(value: unknown): string;
}

export interface TemplateOptions {
  /** Reports whether a missing field has no result instead of being an error. */
  readonly allowsMissing: boolean;
}

/** Throws if the template cannot be parsed. */
export function newTemplate(text: string, { allowsMissing }: TemplateOptions = { allowsMissing: true }): Template {
  const nodes = parseTemplate(text);
  const results = (value: unknown) => evaluate(nodes, { allowsMissing, root: value }, value);
  return {
    results,
    text: (value) => results(value).map(textOfResults).join(""),
    json: (value) => `${indented(sortedCopy(results(value).flat()))}\n`,
  };
}

interface Scope {
  readonly allowsMissing: boolean;
  readonly root: unknown;
}

/** Returns a list for each expression. The body of a range contributes its own lists for each iteration. */
function evaluate(nodes: readonly Node[], scope: Scope, value: unknown): unknown[][] {
  const results: unknown[][] = [];
  for (const node of nodes) {
    if (node.form === "text") results.push([new Literal(node.text)]);
    else if (node.form === "range") {
      for (const item of walk(node.over, scope, [value])) results.push(...evaluate(node.body, scope, item));
    } else results.push(walk([node], scope, [value]));
  }
  return results;
}

/** A literal text of a template, printed unchanged. */
class Literal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function textOfResults(results: readonly unknown[]): string {
  return results
    .map((result) => {
      if (result instanceof Literal) return result.text;
      return typeof result === "object" && result !== null ? compactJson(result) : goValue(result);
    })
    .join(" ");
}

/** Formats the result of a column like `fmt.Sprint`. */
export function columnText(value: unknown): string {
  return escapeTerminal(value instanceof Literal ? value.text : goValue(value));
}

function walk(steps: readonly Node[], scope: Scope, values: readonly unknown[]): unknown[] {
  let current: unknown[] = [...values];
  for (const step of steps) current = stepFrom(step, scope, current);
  return current;
}

function stepFrom(step: Node, scope: Scope, values: readonly unknown[]): unknown[] {
  switch (step.form) {
    case "root":
      return [scope.root];
    case "text":
      return [new Literal(step.text)];
    case "value":
      return [step.value];
    case "field":
      return field(step.name, scope, values);
    case "all":
      return values.flatMap(below);
    case "deep":
      return values.flatMap(everything);
    case "slice":
      return values.flatMap((value) => slice(value, step));
    case "union":
      return step.of.flatMap((branch) => walk(branch, scope, values));
    case "filter":
      return values.flatMap((value): unknown[] =>
        Array.isArray(value) ? value.filter((item) => passes(step, scope, item)) : [],
      );
    case "steps":
      return walk(step.steps, scope, values);
    case "range":
      return [];
  }
}

function field(name: string, scope: Scope, values: readonly unknown[]): unknown[] {
  const members = values.flatMap((value) => (isObject(value) && Object.hasOwn(value, name) ? [value[name]] : []));
  const isMissed = values.some((value) => value !== null && value !== undefined);
  if (members.length === 0 && isMissed && !scope.allowsMissing) throw new Error(`${name} is not found`);
  return members;
}

function below(value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  if (!isObject(value)) return [];
  return Object.keys(value)
    .sort()
    .map((key) => value[key]);
}

function everything(value: unknown): unknown[] {
  return [...(value !== null && typeof value === "object" ? [value] : []), ...below(value).flatMap(everything)];
}

function slice(value: unknown, { from, to, by, isSingle }: Extract<Node, { form: "slice" }>): unknown[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new Error(`${goValue(value)} is not array or slice`);
  const list: readonly unknown[] = value;
  const { length } = list;
  const place = (index: number) => (index < 0 ? index + length : index);
  const start = place(from ?? 0);
  const end = isSingle ? start + 1 : Math.min(place(to ?? length), length);
  if (isSingle && (start >= length || start < 0)) {
    throw new Error(`array index out of bounds: index ${start}, length ${length}`);
  }
  return list.slice(start, end).filter((_, at) => at % (by ?? 1) === 0);
}

function passes({ left, operator, right }: Extract<Node, { form: "filter" }>, scope: Scope, value: unknown): boolean {
  const lenient = { ...scope, allowsMissing: true };
  const [a] = operandValues(left, lenient, value);
  if (operator === "exists") return operandValues(left, lenient, value).length > 0;
  const [b] = right ? operandValues(right, lenient, value) : [];
  if (a === undefined || b === undefined) return false;
  const [x, y] = [plain(a), plain(b)];
  if (operator === "==") return x === y;
  if (operator === "!=") return x !== y;
  if (typeof x !== typeof y || (typeof x !== "number" && typeof x !== "string")) return false;
  const order = x < (y as typeof x) ? -1 : x > (y as typeof x) ? 1 : 0;
  return { "<": order < 0, ">": order > 0, "<=": order <= 0, ">=": order >= 0 }[operator] ?? false;
}

function plain(value: unknown): unknown {
  return value instanceof Literal ? value.text : value;
}

function operandValues(operand: Operand, scope: Scope, value: unknown): unknown[] {
  return walk(operand, scope, [value]);
}
