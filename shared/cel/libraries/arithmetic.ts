// The operators of numbers, strings, lists and times.
import { joinBytes } from "../../base/byte-text.ts";
import { compare, equal, holds } from "../equality.ts";
import { type Library, paid } from "../functions.ts";
import type { Pay } from "../pay.ts";
import {
  type DurationValue,
  type ListValue,
  type MapValue,
  type TimestampValue,
  type UintValue,
  type Value,
  at,
  fail,
  itemsOf,
  kindOf,
  list,
  noSuchOverload,
  uint,
} from "../values.ts";

const maxInt = 2n ** 63n - 1n;
const minInt = -(2n ** 63n);
const maxUint = 2n ** 64n - 1n;
export const minTimestamp = -62135596800_000_000_000n;
export const maxTimestamp = 253402300799_999_999_999n;
const intOverflow = fail("integer overflow");
const uintOverflow = fail("unsigned integer overflow");
const durationOverflow = fail("duration overflow");
const timestampOverflow = fail("timestamp overflow");
const divisionByZero = fail("division by zero");
const modulusByZero = fail("modulus by zero");

export function int(value: bigint): Value {
  return value > maxInt || value < minInt ? intOverflow : value;
}

export function checkedUint(value: bigint): Value {
  return value > maxUint || value < 0n ? uintOverflow : uint(value);
}

export function duration(ns: bigint): Value {
  return ns > maxInt || ns < minInt ? durationOverflow : { kind: "duration", ns };
}

export function timestamp(ns: bigint): Value {
  return ns > maxTimestamp || ns < minTimestamp ? timestampOverflow : { kind: "timestamp", ns };
}

function joinLists(pay: Pay, a: ListValue, b: ListValue): Value {
  pay(b.items.length + (a.isFilling ? 0 : a.items.length));
  if (a.isFilling) {
    // Nothing else refers to this list, so it may be changed.
    for (const item of itemsOf(b)) (a.items as unknown[]).push(item);
    return a;
  }
  if (a.shape.add) return a.shape.add(a.items, b);
  return list([...a.items.map((_item, index) => at(a, index)), ...b.items.map((_item, index) => at(b, index))]);
}

const orders: Readonly<Record<string, (order: -1 | 0 | 1) => boolean>> = {
  "_<_": (order) => order < 0,
  "_<=_": (order) => order <= 0,
  "_>_": (order) => order > 0,
  "_>=_": (order) => order >= 0,
};

const comparable = [
  ...["bool, bool", "int, int", "int, double", "int, uint", "uint, uint", "uint, double", "uint, int"],
  ...["double, double", "double, int", "double, uint", "string, string", "bytes, bytes"],
  ...["timestamp, timestamp", "duration, duration"],
];

function comparisons(): Library {
  const all: Record<string, Library[string]> = {};
  for (const [name, accepts] of Object.entries(orders)) {
    for (const types of comparable) all[`${name}(${types}) bool`] = (a: Value, b: Value) => ordered(accepts, a, b);
  }
  return all;
}

function ordered(accepts: (order: -1 | 0 | 1) => boolean, a: Value, b: Value): Value {
  const order = compare(a, b);
  if (order !== undefined) return accepts(order);
  return kindOf(a) === "double" || kindOf(b) === "double" ? fail("NaN values cannot be ordered") : noSuchOverload;
}

export const arithmetic: Library = {
  "!_(bool) bool": (value: boolean) => !value,
  "-_(double) double": (value: number) => -value,
  "-_(int) int": (value: bigint) => int(-value),
  "@in(A, list(A)) bool": paid((pay: Pay, value: Value, container: ListValue) => holds(container, value, pay)),
  "@in(A, map(A, B)) bool": paid((pay: Pay, value: Value, container: MapValue) => holds(container, value, pay)),
  "@not_strictly_false(bool) bool": (value: Value) => value !== false,
  "_==_(A, A) bool": paid((pay: Pay, a: Value, b: Value) => equal(a, b, pay)),
  "_!=_(A, A) bool": paid((pay: Pay, a: Value, b: Value) => !equal(a, b, pay)),
  "_&&_(bool, bool) bool": (a: boolean, b: boolean) => a && b,
  "_||_(bool, bool) bool": (a: boolean, b: boolean) => a || b,
  "_?_:_(bool, A, A) A": (condition: boolean, a: Value, b: Value) => (condition ? a : b),
  "_%_(int, int) int": (a: bigint, b: bigint) => (b === 0n ? modulusByZero : int(a % b)),
  "_%_(uint, uint) uint": ({ value: a }: UintValue, { value: b }: UintValue) =>
    b === 0n ? modulusByZero : uint(a % b),
  "_*_(double, double) double": (a: number, b: number) => a * b,
  "_*_(int, int) int": (a: bigint, b: bigint) => int(a * b),
  "_*_(uint, uint) uint": (a: UintValue, b: UintValue) => checkedUint(a.value * b.value),
  "_+_(bytes, bytes) bytes": (a: Uint8Array, b: Uint8Array) => joinBytes([a, b]),
  "_+_(double, double) double": (a: number, b: number) => a + b,
  "_+_(duration, duration) duration": (a: DurationValue, b: DurationValue) => duration(a.ns + b.ns),
  "_+_(duration, timestamp) timestamp": (a: DurationValue, b: TimestampValue) => timestamp(a.ns + b.ns),
  "_+_(timestamp, duration) timestamp": (a: TimestampValue, b: DurationValue) => timestamp(a.ns + b.ns),
  "_+_(int, int) int": (a: bigint, b: bigint) => int(a + b),
  "_+_(list(A), list(A)) list(A)": paid(joinLists),
  "_+_(string, string) string": (a: string, b: string) => a + b,
  "_+_(uint, uint) uint": (a: UintValue, b: UintValue) => checkedUint(a.value + b.value),
  "_-_(double, double) double": (a: number, b: number) => a - b,
  "_-_(duration, duration) duration": (a: DurationValue, b: DurationValue) => duration(a.ns - b.ns),
  "_-_(int, int) int": (a: bigint, b: bigint) => int(a - b),
  "_-_(timestamp, duration) timestamp": (a: TimestampValue, b: DurationValue) => timestamp(a.ns - b.ns),
  "_-_(timestamp, timestamp) duration": (a: TimestampValue, b: TimestampValue) => duration(a.ns - b.ns),
  "_-_(uint, uint) uint": (a: UintValue, b: UintValue) => checkedUint(a.value - b.value),
  "_/_(double, double) double": (a: number, b: number) => a / b,
  "_/_(int, int) int": (a: bigint, b: bigint) => (b === 0n ? divisionByZero : int(a / b)),
  "_/_(uint, uint) uint": ({ value: a }: UintValue, { value: b }: UintValue) =>
    b === 0n ? divisionByZero : uint(a / b),
  ...comparisons(),
  // The plan evaluates these operators: see attributes.
  "_?._(dyn, string) optional(V)": () => noSuchOverload,
  "_[?_](list(V), int) optional(V)": () => noSuchOverload,
  "_[?_](optional(list(V)), int) optional(V)": () => noSuchOverload,
  "_[?_](map(K, V), K) optional(V)": () => noSuchOverload,
  "_[?_](optional(map(K, V)), K) optional(V)": () => noSuchOverload,
  "_[_](list(A), int) A": () => noSuchOverload,
  "_[_](map(A, B), A) B": () => noSuchOverload,
  "_[_](optional(list(V)), int) optional(V)": () => noSuchOverload,
  "_[_](optional(map(K, V)), K) optional(V)": () => noSuchOverload,
};
