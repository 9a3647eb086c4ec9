// Values of templates. Go's types are kept apart: a bigint is an integer, a number is a float64, undefined is the invalid value, and null is a
// nil interface.
import { goDouble } from "../../../../../shared/cel/go-text.ts";
import { isObject, type JsonObject } from "../../../../../shared/schema/json-values.ts";
import { bytesOfText } from "../../../../../shared/base/byte-text.ts";

/** A method of a struct. It receives the evaluated arguments. */
export type Method = (...args: readonly unknown[]) => unknown;

/** A Go struct or named type: fields that templates read, and methods that they call. */
export class Struct {
  readonly type: string;
  readonly fields: ReadonlyMap<string, unknown>;
  readonly methods: ReadonlyMap<string, Method>;
  /** The text of `String()`, if the type has this method. */
  readonly text: string | undefined;
  /** The value for YAML and JSON. */
  readonly json: unknown;
  /** The entries of a map type with methods. */
  readonly map: JsonObject | undefined;

  constructor(
    type: string,
    fields: Readonly<Record<string, unknown>>,
    options: {
      readonly methods?: Readonly<Record<string, Method>>;
      readonly text?: string;
      readonly json?: unknown;
      readonly map?: JsonObject;
    } = {},
  ) {
    this.type = type;
    this.fields = new Map(Object.entries(fields));
    this.methods = new Map(Object.entries(options.methods ?? {}));
    this.text = options.text;
    this.map = options.map;
    this.json = options.json ?? options.map ?? fields;
  }
}

export function isMap(value: unknown): value is JsonObject {
  return isObject(value) && !(value instanceof Struct);
}

export function isNil(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

export function sortedKeys(map: JsonObject): string[] {
  return Object.keys(map).sort(compareText);
}

/** Compares by bytes of UTF-8, as Go does. UTF-16 order differs only beside surrogates. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!/[\ud800-\uffff]/.test(a + b)) return a < b ? -1 : 1;
  const [left, right] = [bytesOfText(a), bytesOfText(b)];
  for (let at = 0; at < left.length && at < right.length; at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Reports whether a condition holds: the value is not empty. */
export function isTrue(value: unknown): boolean {
  if (isNil(value)) return false;
  if (value instanceof Struct) return value.map === undefined || Object.keys(value.map).length > 0;
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Reports whether sprig's `empty` holds. */
export function isEmpty(value: unknown): boolean {
  return !isTrue(value);
}

/** Returns the name of the kind, as sprig's `kindOf` does. */
export function kindOf(value: unknown): string {
  if (isNil(value)) return "invalid";
  if (value instanceof Struct) return value.type.startsWith("*") ? "ptr" : "struct";
  if (Array.isArray(value)) return "slice";
  switch (typeof value) {
    case "bigint":
      return "int64";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    case "string":
      return "string";
    default:
      return "map";
  }
}

/** Returns the name of the type, like `%T`. */
export function typeOf(value: unknown): string {
  if (value instanceof Struct) return value.type;
  const kind = kindOf(value);
  return typeNames[kind] ?? kind;
}

/** The types whose names differ from those of their kinds. */
const typeNames: Readonly<Record<string, string>> = {
  invalid: "<nil>",
  int64: "int",
  slice: "[]interface {}",
  map: "map[string]interface {}",
};

/** Formats a value like `%v`. */
export function textOf(value: unknown): string {
  if (isNil(value)) return "<nil>";
  if (typeof value === "string") return value;
  if (typeof value === "number") return goDouble(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "boolean") return value ? "true" : "false";
  if (value instanceof Struct)
    return value.text ?? `{${[...value.fields.values()].map((field) => textOf(field)).join(" ")}}`;
  if (Array.isArray(value)) return `[${value.map((item) => textOf(item)).join(" ")}]`;
  if (!isMap(value)) return "";
  return `map[${sortedKeys(value)
    .map((key) => `${key}:${textOf(value[key])}`)
    .join(" ")}]`;
}

/** Returns a plain JSON value: integers become numbers. */
export function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (isNil(value)) return null;
  if (value instanceof Struct) return plain(value.json);
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) if (key !== "__proto__") copy[key] = plain(value[key]);
  return copy;
}

/** Returns the text of any value as sprig's functions take it. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : textOf(value);
}

/** Copies maps and lists; all other values are immutable. */
export function deepCopy<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => deepCopy(item)) as T;
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, deepCopy(item)])) as T;
}

/** Compares values like Go's reflect.DeepEqual. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (isNil(a) || isNil(b)) return isNil(a) && isNil(b);
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, at) => deepEqual(item, b[at]));
  if (isMap(a) && isMap(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key], b[key]))
    );
  }
  return a === b;
}
