// The values of expressions. Strings, booleans and null represent themselves; an int is a bigint, a double a number.
import type { Pay } from "./pay.ts";
import type { CelType } from "./types.ts";

export interface UintValue {
  readonly kind: "uint";
  readonly value: bigint;
}

export interface TimestampValue {
  readonly kind: "timestamp";
  /** Nanoseconds since 1970. */
  readonly ns: bigint;
}

export interface DurationValue {
  readonly kind: "duration";
  readonly ns: bigint;
}

export interface TypeValue {
  readonly kind: "type";
  readonly name: string;
}

export interface OptionalValue {
  readonly kind: "optional";
  readonly value: Value | undefined;
}

/** How the items of a list are read, compared and joined. Data of a schema is turned into values when it is read. */
export interface ListShape {
  at(items: readonly unknown[], index: number): Value;
  /** Compares lists whose order does not matter, or that have keys. */
  equal?(items: readonly unknown[], right: ListValue, pay: Pay): boolean;
  add?(items: readonly unknown[], added: ListValue): ListValue;
}

export interface ListValue {
  readonly kind: "list";
  readonly items: readonly unknown[];
  readonly shape: ListShape;
  /** Whether a macro is filling this list. Nothing else refers to it, so adding changes it in place. */
  readonly isFilling?: boolean;
}

export interface MapShape {
  find(raw: unknown, key: Value): Value | undefined;
  keys(raw: unknown): readonly Value[];
  size(raw: unknown): number;
  /** Returns the fields that the schema of the data does not declare. They are compared as JSON. */
  rest?(raw: unknown): readonly [string, unknown][];
}

export interface MapValue {
  readonly kind: "map";
  readonly raw: unknown;
  readonly shape: MapShape;
  /** Whether a macro is filling this map, as for a list. */
  readonly isFilling?: boolean;
}

/** An object of a named type, which a mutation creates. */
export interface StructValue {
  readonly kind: "struct";
  readonly type: CelType;
  readonly fields: ReadonlyMap<string, Value>;
}

/** A value of a library, which alone knows its content. */
export interface OpaqueValue {
  readonly kind: "opaque";
  readonly type: CelType;
  readonly data: unknown;
  /** The size for `size()` and for costs, if the value has one. */
  readonly size?: number;
  equal(value: OpaqueValue): boolean;
}

/** An error, which is a value too: `&&`, `||` and optionals may absorb it. */
export interface Failure {
  readonly kind: "failure";
  readonly message: string;
}

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | UintValue
  | TimestampValue
  | DurationValue
  | TypeValue
  | OptionalValue
  | ListValue
  | MapValue
  | StructValue
  | OpaqueValue
  | Failure;

export function fail(message: string): Failure {
  return { kind: "failure", message };
}

export const noSuchOverload = fail("no such overload");
export const noneValue: OptionalValue = { kind: "optional", value: undefined };

export function some(value: Value): OptionalValue {
  return { kind: "optional", value };
}

export function uint(value: bigint): UintValue {
  return { kind: "uint", value };
}

export function isFailure(value: Value): value is Failure {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "failure";
}

export type KindName =
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "failure"
  | "int"
  | "list"
  | "map"
  | "null"
  | "opaque"
  | "optional"
  | "string"
  | "struct"
  | "timestamp"
  | "type"
  | "uint";

export function kindOf(value: Value): KindName {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    default:
      if (value === null) return "null";
      return value instanceof Uint8Array ? "bytes" : value.kind;
  }
}

export function isList(value: Value | undefined): value is ListValue {
  return value !== undefined && kindOf(value) === "list";
}

export function isMap(value: Value | undefined): value is MapValue {
  return value !== undefined && kindOf(value) === "map";
}

export function isOptionalValue(value: Value): value is OptionalValue {
  return kindOf(value) === "optional";
}

/** Returns the name of a value's type in `type()` and error messages. */
export function typeNameOf(value: Value): string {
  const kind = kindOf(value);
  switch (kind) {
    case "null":
      return "null_type";
    case "duration":
      return "google.protobuf.Duration";
    case "timestamp":
      return "google.protobuf.Timestamp";
    case "optional":
      return "optional_type";
    case "failure":
      return "error";
    case "opaque":
    case "struct":
      return (value as OpaqueValue | StructValue).type.name;
    default:
      return kind;
  }
}

const plainItems: ListShape = { at: (items, index) => items[index] as Value };

export function list(items: readonly Value[]): ListValue {
  return { kind: "list", items, shape: plainItems };
}

/** Returns an empty list that a macro fills in place. */
export function gatheredList(): ListValue {
  return { kind: "list", items: [], shape: plainItems, isFilling: true };
}

export function at({ items, shape }: ListValue, index: number): Value {
  return shape.at(items, index);
}

export function* itemsOf({ items, shape }: ListValue): Iterable<Value> {
  for (let index = 0; index < items.length; index++) yield shape.at(items, index);
}

type Entries = ReadonlyMap<unknown, readonly [Value, Value]>;

const entriesShape: MapShape = {
  find: (raw, key) => {
    const id = keyId(key);
    return id === undefined ? undefined : (raw as Entries).get(id)?.[1];
  },
  keys: (raw) => [...(raw as Entries).values()].map(([key]) => key),
  size: (raw) => (raw as Entries).size,
};

/** Returns a map of values. The caller has checked the types of the keys: others would all be one key. */
export function mapOf(entries: Iterable<readonly [Value, Value]>): MapValue {
  const raw = new Map<unknown, readonly [Value, Value]>();
  for (const entry of entries) raw.set(keyId(entry[0]), entry);
  return { kind: "map", raw, shape: entriesShape };
}

/** Returns an empty map that a macro fills in place. */
export function fillingMap(): MapValue {
  return { kind: "map", raw: new Map(), shape: entriesShape, isFilling: true };
}

/** Adds an entry: to a copy, or in place if a macro is filling the map. Returns undefined if the key exists. */
export function withEntry(map: MapValue, key: Value, value: Value): MapValue | undefined {
  if (find(map, key) !== undefined) return undefined;
  if (!map.isFilling) {
    const entries = keysOf(map).map((entryKey) => [entryKey, find(map, entryKey) ?? null] as const);
    return mapOf([...entries, [key, value]]);
  }
  // Nothing else refers to this map, so it may be changed.
  (map.raw as Map<unknown, readonly [Value, Value]>).set(keyId(key), [key, value]);
  return map;
}

/** Returns the finished list or map, which is no longer changed in place. */
export function finished(value: Value): Value {
  if (isList(value) && value.isFilling) return { kind: "list", items: value.items, shape: value.shape };
  if (isMap(value) && value.isFilling) return { kind: "map", raw: value.raw, shape: value.shape };
  return value;
}

/** Returns an identity of a key. Numbers that are equal are the same key, whatever their types. */
function keyId(key: Value): unknown {
  switch (kindOf(key)) {
    case "string":
      return `s${key as string}`;
    case "bool":
      return key;
    case "int":
      return key;
    case "uint":
      return (key as UintValue).value;
    case "double":
      return Number.isInteger(key) ? BigInt(key as number) : key;
    default:
      return undefined;
  }
}

export function find({ raw, shape }: MapValue, key: Value): Value | undefined {
  return shape.find(raw, key);
}

export function keysOf({ raw, shape }: MapValue): readonly Value[] {
  return shape.keys(raw);
}

export function sizeOf(value: ListValue | MapValue): number {
  return value.kind === "list" ? value.items.length : value.shape.size(value.raw);
}
