// Go's text/template, as used by `-o go-template`: fields, pipes, range, if, with, variables and the built-in functions.
import { textOfBase64 } from "../../../shared/base/base64.ts";
import { isObject } from "../../../shared/schema/json-values.ts";
import { goJson } from "./json.ts";
import { goValue } from "./go-value.ts";
import { type Command, type Piece, type Pipe, type Term, parsePieces } from "./go-template-parser.ts";

export interface GoTemplate {
  /** Throws if the template does not fit the value. */
  run(value: unknown): string;
}

/** The maximum number of evaluated pieces, against runaway templates. */
const maxSteps = 200_000;

export function newGoTemplate(text: string): GoTemplate {
  const pieces = parsePieces(text);
  return {
    run: (value) => {
      const run = { steps: 0, out: "" };
      execute(pieces, value, new Map([["$", value]]), run);
      return run.out;
    },
  };
}

type Variables = Map<string, unknown>;

interface Run {
  steps: number;
  out: string;
}

function execute(pieces: readonly Piece[], dot: unknown, variables: Variables, run: Run): void {
  for (const piece of pieces) {
    run.steps += 1;
    if (run.steps > maxSteps) throw new Error("template: output: it does not end");
    if (piece.form === "text") run.out += piece.text;
    else if (piece.form === "print") {
      const value = pipeValue(piece.pipe, dot, variables);
      if (piece.pipe.variables.length === 0) run.out += printed(value);
    } else if (piece.form === "range") range(piece, dot, variables, run);
    else if (piece.form === "if" || piece.form === "with") {
      const inner = new Map(variables);
      const value = pipeValue(piece.pipe, dot, inner);
      if (isTrue(value)) execute(piece.body, piece.form === "with" ? value : dot, inner, run);
      else execute(piece.otherwise, dot, inner, run);
    }
  }
}

function range(piece: Extract<Piece, { body: Piece[] }>, dot: unknown, variables: Variables, run: Run): void {
  const value = pipeValue({ ...piece.pipe, variables: [] }, dot, variables);
  const entries: [unknown, unknown][] = Array.isArray(value)
    ? value.map((item, at): [unknown, unknown] => [at, item])
    : isObject(value)
      ? Object.keys(value)
          .sort()
          .map((key): [unknown, unknown] => [key, value[key]])
      : [];
  if (entries.length === 0) {
    if (value !== null && value !== undefined && !Array.isArray(value) && !isObject(value)) {
      throw new Error(`range can't iterate over ${goValue(value)}`);
    }
    return execute(piece.otherwise, dot, new Map(variables), run);
  }
  const [first, second] = piece.pipe.variables;
  for (const [key, item] of entries) {
    const inner = new Map(variables);
    if (first && second) inner.set(first, key).set(second, item);
    else if (first) inner.set(first, item);
    execute(piece.body, item, inner, run);
  }
}

function pipeValue(pipe: Pipe, dot: unknown, variables: Variables): unknown {
  let value: unknown;
  for (const [at, command] of pipe.commands.entries()) {
    value = commandValue(command, dot, variables, at === 0 ? [] : [value]);
  }
  for (const name of pipe.variables) variables.set(name, value);
  return value;
}

function commandValue({ terms }: Command, dot: unknown, variables: Variables, piped: readonly unknown[]): unknown {
  const [first, ...rest] = terms;
  if (!first) return undefined;
  if (first.form !== "function") {
    if (rest.length + piped.length > 0) throw new Error(`can't give argument to non-function ${termText(first)}`);
    return termValue(first, dot, variables);
  }
  const values = [...rest.map((term) => termValue(term, dot, variables)), ...piped];
  return call(first.name, values);
}

function termValue(term: Term, dot: unknown, variables: Variables): unknown {
  switch (term.form) {
    case "dot":
      return term.path.reduce<unknown>(step, dot);
    case "variable":
      return term.path.reduce<unknown>(step, variables.get(term.name));
    case "constant":
      return term.value;
    case "pipe":
      return term.path.reduce<unknown>(step, pipeValue(term.pipe, dot, variables));
    case "function":
      return call(term.name, []);
  }
}

function termText(term: Term): string {
  return term.form === "dot" ? `.${term.path.join(".")}` : term.form;
}

/** Returns a field of a map, or undefined if it is missing. */
function step(value: unknown, name: string): unknown {
  if (value === null || value === undefined) return undefined;
  if (isObject(value)) return Object.hasOwn(value, name) ? value[name] : undefined;
  const kind = Array.isArray(value)
    ? "[]interface {}"
    : typeof value === "number"
      ? "int64"
      : typeof value === "boolean"
        ? "bool"
        : "string";
  throw new Error(`can't evaluate field ${name} in type ${Array.isArray(value) ? kind : "interface {}"}`);
}

function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

function printed(value: unknown): string {
  return value === undefined || value === null ? "<no value>" : goValue(value);
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  throw new Error("incompatible types for comparison");
}

const functions: Readonly<Record<string, (values: readonly unknown[]) => unknown>> = {
  and: (values) => values.find((value) => !isTrue(value)) ?? values.at(-1),
  or: (values) => values.find(isTrue) ?? values.at(-1),
  not: ([value]) => !isTrue(value),
  eq: ([first, ...candidates]) =>
    candidates.some((candidate) => (first ?? null) === (candidate ?? null) || compare(first, candidate) === 0),
  ne: ([a, b]) => (a ?? null) !== (b ?? null) && compare(a, b) !== 0,
  lt: ([a, b]) => compare(a, b) < 0,
  le: ([a, b]) => compare(a, b) <= 0,
  gt: ([a, b]) => compare(a, b) > 0,
  ge: ([a, b]) => compare(a, b) >= 0,
  len: ([value]) => {
    if (typeof value === "string" || Array.isArray(value)) return value.length;
    if (isObject(value)) return Object.keys(value).length;
    throw new Error("error calling len: len of type interface {}");
  },
  index: ([value, ...keys]) =>
    keys.reduce<unknown>((container, key) => {
      if (isObject(container)) return container[String(key)];
      const place = Number(key);
      if (!Array.isArray(container)) throw new Error("error calling index: index of untyped nil");
      if (place < 0 || place >= container.length)
        throw new Error(`error calling index: reflect: slice index out of range`);
      return (container as unknown[])[place];
    }, value),
  slice: ([value, from = 0, to]) =>
    (value as string | unknown[]).slice(Number(from), to === undefined ? undefined : Number(to)),
  print: (values) => values.map(goValue).join(""),
  println: (values) => `${values.map(goValue).join(" ")}\n`,
  printf: ([form, ...values]) => format(String(form), values),
  html: (values) => goValue(values[0]).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`),
  js: (values) => JSON.stringify(goValue(values[0])).slice(1, -1),
  urlquery: (values) => encodeURIComponent(goValue(values[0])),
  exists: ([value, ...keys]) =>
    keys.reduce<unknown>(
      (container, key) =>
        isObject(container)
          ? container[String(key)]
          : Array.isArray(container)
            ? (container as unknown[])[Number(key)]
            : undefined,
      value,
    ) !== undefined,
  base64decode: ([value]) => textOfBase64(String(value)),
  toJson: ([value]) => goJson(value),
};

function call(name: string, values: readonly unknown[]): unknown {
  const implementation = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (!implementation) throw new Error(`function ${JSON.stringify(name)} not defined`);
  return implementation(values);
}

/** Formats `%s`, `%v`, `%d`, `%q`, `%t`, `%x` and `%f` with widths. */
function format(form: string, values: readonly unknown[]): string {
  let next = 0;
  return form.replaceAll(
    /%(-?)(0?)(\d*)(?:\.(\d+))?([svdqtxf%])/g,
    (_, left: string, zero: string, width: string, digits: string | undefined, verb: string) => {
      if (verb === "%") return "%";
      const value = values[next];
      next += 1;
      const text =
        verb === "q"
          ? JSON.stringify(goValue(value))
          : verb === "x"
            ? Number(value).toString(16)
            : verb === "f"
              ? Number(value).toFixed(Number(digits ?? 6))
              : goValue(value);
      const size = Number(width || 0);
      return left ? text.padEnd(size) : text.padStart(size, zero || " ");
    },
  );
}
