// The functions that every Go template has.
import { byteLength, bytesOfText, textOfBytes } from "../../../../../shared/base/byte-text.ts";
import { getKey } from "../../../../../shared/schema/json-values.ts";
import { CallError } from "./errors.ts";
import { sprint, sprintf } from "./printf.ts";
import { compareText, isMap, isNil, isTrue, kindOf, Struct, textOf, typeOf } from "./values.ts";

export interface TemplateFunction {
  /** The types of the parameters. The last one repeats if `isVariadic`. */
  readonly parameters: readonly ParameterType[];
  readonly isVariadic: boolean;
  call(...args: readonly never[]): unknown;
}

/** s: string, i: int, n: int64, f: float64, b: bool, m: map, a: any value. */
export type ParameterType = "s" | "i" | "n" | "f" | "b" | "m" | "a";

/** Declares a function. `signature` has a letter for each parameter, and `*` after a repeated one. */
export function define(signature: string, call: (...args: never[]) => unknown): TemplateFunction {
  const isVariadic = signature.endsWith("*");
  return { parameters: [...signature.replace("*", "")] as ParameterType[], isVariadic, call };
}

export type Functions = Readonly<Record<string, TemplateFunction>>;

type Basic = "bool" | "float" | "int" | "string";

function basicKind(value: unknown): Basic | undefined {
  switch (typeof value) {
    case "bigint":
      return "int";
    case "number":
      return "float";
    case "boolean":
      return "bool";
    case "string":
      return "string";
    default:
      return undefined;
  }
}

function isEqual(first: unknown, second: unknown): boolean {
  const [a, b] = [basicKind(first), basicKind(second)];
  if (a !== b) {
    if (isNil(first) || isNil(second)) return isNil(first) && isNil(second);
    if (a === undefined || b === undefined) throw nonComparable(a === undefined ? first : second);
    throw new CallError("incompatible types for comparison");
  }
  if (a === undefined && !isNil(first)) throw nonComparable(first);
  return a === undefined ? isNil(second) : first === second;
}

function nonComparable(value: unknown): CallError {
  return new CallError(`non-comparable type ${textOf(value)}: ${typeOf(value)}`);
}

function isLess(first: unknown, second: unknown): boolean {
  const [a, b] = [basicKind(first), basicKind(second)];
  if (a === undefined || b === undefined) throw new CallError("invalid type for comparison");
  if (a !== b) throw new CallError("incompatible types for comparison");
  if (a === "bool") throw new CallError("invalid type for comparison");
  if (typeof first === "string" && typeof second === "string") return compareText(first, second) < 0;
  return (first as number) < (second as number); // Both are numbers or both are bigints.
}

function lengthOf(value: unknown): number {
  if (typeof value === "string") return byteLength(value);
  if (Array.isArray(value)) return value.length;
  const map = value instanceof Struct ? value.map : value;
  if (isMap(map)) return Object.keys(map).length;
  if (isNil(value)) throw new CallError("len of nil pointer");
  throw new CallError(`len of type ${typeOf(value)}`);
}

function positionOf(index: unknown, length: number): number {
  if (typeof index !== "bigint") {
    if (isNil(index)) throw new CallError("cannot index slice/array with nil");
    throw new CallError(`cannot index slice/array with type ${typeOf(index)}`);
  }
  if (index < 0n || index >= BigInt(length)) throw new CallError(`index out of range: ${index}`);
  return Number(index);
}

function indexed(item: unknown, ...indexes: readonly unknown[]): unknown {
  if (isNil(item)) throw new CallError("index of untyped nil");
  let value: unknown = item;
  for (const index of indexes) {
    if (Array.isArray(value)) value = value[positionOf(index, value.length)];
    else if (typeof value === "string") value = BigInt(bytesOfText(value)[positionOf(index, byteLength(value))] ?? 0);
    else if (isMap(value)) {
      if (isNil(index)) throw new CallError("value is nil; should be of type string");
      if (typeof index !== "string") throw new CallError(`value has type ${typeOf(index)}; should be string`);
      value = getKey(value, index);
    } else if (isNil(value)) throw new CallError("index of nil pointer");
    else throw new CallError(`can't index item of type ${typeOf(value)}`);
  }
  return value;
}

function sliced(item: unknown, ...indexes: readonly unknown[]): unknown {
  if (isNil(item)) throw new CallError("slice of untyped nil");
  if (indexes.length > 3) throw new CallError(`too many slice indexes: ${indexes.length}`);
  if (typeof item !== "string" && !Array.isArray(item)) throw new CallError(`can't slice item of type ${typeOf(item)}`);
  const source = typeof item === "string" ? bytesOfText(item) : item;
  const places = indexes.map((index) => positionOf(index, source.length + 1));
  const [from = 0, to = source.length] = places;
  if (from > to) throw new CallError(`invalid slice index: ${from} > ${to}`);
  const section = source.slice(from, to);
  return section instanceof Uint8Array ? textOfBytes(section) : section;
}

const htmlEscapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
  "\0": "\ufffd",
};

const jsEscapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "'": "\\'",
  '"': '\\"',
  "<": "\\u003C",
  ">": "\\u003E",
  "&": "\\u0026",
  "=": "\\u003D",
};

function escapedForUrl(text: string): string {
  return encodeURIComponent(text)
    .replaceAll("%20", "+")
    .replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function call(target: unknown): never {
  throw new CallError(isNil(target) ? "call of nil" : `non-function ${textOf(target)} of type ${typeOf(target)}`);
}

export const builtins: Functions = {
  // `and` and `or` evaluate no argument behind the deciding one; the executor handles them.
  and: define("a*", (...values: unknown[]) => values.find((value) => !isTrue(value)) ?? values.at(-1)),
  or: define("a*", (...values: unknown[]) => values.find(isTrue) ?? values.at(-1)),
  not: define("a", (value: unknown) => !isTrue(value)),
  eq: define("aa*", (first: unknown, ...candidates: unknown[]) => {
    if (candidates.length === 0) throw new CallError("missing argument for comparison");
    return candidates.some((candidate) => isEqual(first, candidate));
  }),
  ne: define("aa", (a: unknown, b: unknown) => !isEqual(a, b)),
  lt: define("aa", isLess),
  le: define("aa", (a: unknown, b: unknown) => isLess(a, b) || isEqual(a, b)),
  gt: define("aa", (a: unknown, b: unknown) => !(isLess(a, b) || isEqual(a, b))),
  ge: define("aa", (a: unknown, b: unknown) => !isLess(a, b)),
  len: define("a", (value: unknown) => BigInt(lengthOf(value))),
  index: define("aa*", indexed),
  slice: define("aa*", sliced),
  print: define("a*", (...values: unknown[]) => sprint(values)),
  println: define("a*", (...values: unknown[]) => `${values.map(textOf).join(" ")}\n`),
  printf: define("sa*", (format: string, ...values: unknown[]) => sprintf(format, values)),
  html: define("a*", (...values: unknown[]) =>
    sprint(values).replaceAll(/[&<>"'\0]/g, (character) => htmlEscapes[character] ?? character),
  ),
  js: define("a*", (...values: unknown[]) =>
    sprint(values).replaceAll(/[\\'"<>&=]/g, (character) => jsEscapes[character] ?? character),
  ),
  urlquery: define("a*", (...values: unknown[]) => escapedForUrl(sprint(values))),
  call: define("aa*", call),
};

/** Converts an argument to the type of its parameter. Throws CallError with Go's words. */
export function checkedArgument(value: unknown, type: ParameterType): unknown {
  switch (type) {
    case "a":
      return value;
    case "s":
      if (typeof value === "string") return value;
      break;
    case "i":
    case "n":
      if (typeof value === "bigint") return value;
      break;
    case "f":
      if (typeof value === "number") return value;
      break;
    case "b":
      if (typeof value === "boolean") return value;
      break;
    case "m":
      if (isMap(value)) return value;
      if (isNil(value)) return {};
  }
  if (value === undefined) throw new CallError(`invalid value; expected ${expected[type]}`);
  if (value === null) throw new CallError(`wrong type for value; expected ${expected[type]}; got interface {}`);
  throw new CallError(
    `wrong type for value; expected ${expected[type]}; got ${value instanceof Struct ? value.type : kindName(value)}`,
  );
}

function kindName(value: unknown): string {
  const kind = kindOf(value);
  return kind === "map" || kind === "slice" ? typeOf(value) : kind;
}

const expected: Readonly<Record<ParameterType, string>> = {
  s: "string",
  i: "int",
  n: "int64",
  f: "float64",
  b: "bool",
  m: "map[string]interface {}",
  a: "interface {}",
};
