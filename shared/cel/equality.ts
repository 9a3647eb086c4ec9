// Equality and order of values. Numbers of different types are compared by their numeric value.
import type { Pay } from "./pay.ts";
import {
  type DurationValue,
  type ListValue,
  type MapValue,
  type OpaqueValue,
  type OptionalValue,
  type StructValue,
  type TimestampValue,
  type TypeValue,
  type UintValue,
  type Value,
  at,
  find,
  isList,
  kindOf,
  keysOf,
  sizeOf,
} from "./values.ts";

export function equal(a: Value, b: Value, pay: Pay): boolean {
  const number = numberOf(a);
  if (number !== undefined) {
    const otherNumber = numberOf(b);
    return otherNumber !== undefined && sameNumber(number, otherNumber);
  }
  const kind = kindOf(a);
  if (kind !== kindOf(b)) return false;
  pay(1);
  switch (kind) {
    case "bytes":
      return compareBytes(a as Uint8Array, b as Uint8Array) === 0;
    case "timestamp":
    case "duration":
      return (a as DurationValue | TimestampValue).ns === (b as DurationValue | TimestampValue).ns;
    case "type":
      return (a as TypeValue).name === (b as TypeValue).name;
    case "optional":
      return equalOptionals(a as OptionalValue, b as OptionalValue, pay);
    case "list":
      return equalLists(a as ListValue, b as ListValue, pay);
    case "map":
      return equalMaps(a as MapValue, b as MapValue, pay);
    case "struct":
      return equalStructs(a as StructValue, b as StructValue, pay);
    case "opaque": {
      const [left, right] = [a as OpaqueValue, b as OpaqueValue];
      return left.type.name === right.type.name && left.equal(right);
    }
    default:
      return a === b;
  }
}

/** Compares two values. Returns undefined if they have no order. */
export function compare(a: Value, b: Value): -1 | 0 | 1 | undefined {
  const number = numberOf(a);
  if (number !== undefined) {
    const otherNumber = numberOf(b);
    if (otherNumber === undefined) return undefined;
    if (sameNumber(number, otherNumber)) return 0;
    if (number < otherNumber) return -1;
    return number > otherNumber ? 1 : undefined;
  }
  const kind = kindOf(a);
  if (kind !== kindOf(b)) return undefined;
  switch (kind) {
    case "string":
      return sign(compareStrings(a as string, b as string));
    case "bool":
      return sign(Number(a) - Number(b));
    case "bytes":
      return compareBytes(a as Uint8Array, b as Uint8Array);
    case "timestamp":
    case "duration": {
      const [left, right] = [(a as DurationValue).ns, (b as DurationValue).ns];
      if (left === right) return 0;
      return left < right ? -1 : 1;
    }
    default:
      return undefined;
  }
}

/** Compares a bigint and a number exactly. */
function sameNumber(a: bigint | number, b: bigint | number): boolean {
  return typeof a === typeof b ? a === b : a >= b && a <= b;
}

function numberOf(value: Value): bigint | number | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value;
  return kindOf(value) === "uint" ? (value as UintValue).value : undefined;
}

function sign(difference: number): -1 | 0 | 1 {
  if (difference === 0) return 0;
  return difference < 0 ? -1 : 1;
}

/** Compares by code points, which is the order of the UTF-8 encoding. */
export function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left === right) continue;
    // Surrogates encode characters that come after all others.
    const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
    if (isHigh(left) !== isHigh(right)) return isHigh(left) ? 1 : -1;
    return left - right;
  }
  return a.length - b.length;
}

function compareBytes(a: Uint8Array, b: Uint8Array): -1 | 0 | 1 {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return sign(difference);
  }
  return sign(a.length - b.length);
}

function equalOptionals({ value: a }: OptionalValue, { value: b }: OptionalValue, pay: Pay): boolean {
  if (a === undefined || b === undefined) return a === b;
  return equal(a, b, pay);
}

function equalLists(a: ListValue, b: ListValue, pay: Pay): boolean {
  if (a.items.length !== b.items.length) return false;
  if (a.shape.equal) return a.shape.equal(a.items, b, pay);
  for (let index = 0; index < a.items.length; index++) {
    if (!equal(at(a, index), at(b, index), pay)) return false;
  }
  return true;
}

const lookUp = 20;

function equalMaps(a: MapValue, b: MapValue, pay: Pay): boolean {
  if (sizeOf(a) !== sizeOf(b)) return false;
  // Each key is looked up in both maps.
  pay(lookUp * sizeOf(a));
  const isSame = keysOf(a).every((key) => {
    const [left, right] = [find(a, key), find(b, key)];
    // A null field may equal an absent one.
    return left === undefined || right === undefined ? left === right : equal(left, right, pay);
  });
  if (!isSame || !a.shape.rest || !b.shape.rest) return isSame;
  return JSON.stringify(a.shape.rest(a.raw)) === JSON.stringify(b.shape.rest(b.raw));
}

function equalStructs(a: StructValue, b: StructValue, pay: Pay): boolean {
  if (a.type.name !== b.type.name || a.fields.size !== b.fields.size) return false;
  return [...a.fields].every(([name, value]) => {
    const otherValue = b.fields.get(name);
    return otherValue !== undefined && equal(value, otherValue, pay);
  });
}

/** Reports whether a list or a map contains a value, as the operator `in` finds it. */
export function holds(container: ListValue | MapValue, value: Value, pay: Pay): boolean {
  if (!isList(container)) return find(container, value) !== undefined;
  for (let index = 0; index < container.items.length; index++) {
    if (equal(at(container, index), value, pay)) return true;
  }
  return false;
}
