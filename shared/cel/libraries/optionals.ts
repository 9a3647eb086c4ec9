// Optional values.
import { type Library, paid } from "../functions.ts";
import type { Pay } from "../pay.ts";
import {
  type DurationValue,
  type ListValue,
  type MapValue,
  type OptionalValue,
  type StructValue,
  type TimestampValue,
  type UintValue,
  type Value,
  fail,
  isOptionalValue,
  itemsOf,
  kindOf,
  list,
  noneValue,
  sizeOf,
  some,
} from "../values.ts";
import { valueText } from "../value-text.ts";
import { minTimestamp } from "./arithmetic.ts";

export const optionals: Library = {
  "optional.of(V) optional(V)": (value: Value) => some(value),
  "optional.ofNonZeroValue(V) optional(V)": (value: Value) => (isZero(value) ? noneValue : some(value)),
  "optional.none() optional(V)": () => noneValue,
  ".value(optional(V)) V": ({ value }: OptionalValue) =>
    value === undefined ? fail("optional.none() dereference") : value,
  ".hasValue(optional(V)) bool": ({ value }: OptionalValue) => value !== undefined,
  // The plan evaluates the second argument of these only if it is needed.
  ".or(optional(V), optional(V)) optional(V)": (a: OptionalValue, b: OptionalValue) => (a.value === undefined ? b : a),
  ".orValue(optional(V), V) V": ({ value }: OptionalValue, otherwise: Value) =>
    value === undefined ? otherwise : value,
  "optional.unwrap(list(optional(V))) list(V)": paid(unwrap),
  ".unwrapOpt(list(optional(V))) list(V)": paid(unwrap),
};

function unwrap(pay: Pay, items: ListValue): Value {
  const inner: Value[] = [];
  for (const item of itemsOf(items)) {
    if (!isOptionalValue(item)) return fail(`value ${valueText(item, pay)} is not optional`);
    if (item.value !== undefined) inner.push(item.value);
  }
  return list(inner);
}

function isZero(value: Value): boolean {
  switch (kindOf(value)) {
    case "null":
      return true;
    case "list":
    case "map":
      return sizeOf(value as ListValue | MapValue) === 0;
    case "bytes":
      return (value as Uint8Array).length === 0;
    case "uint":
      return (value as UintValue).value === 0n;
    case "duration":
      return (value as DurationValue).ns === 0n;
    case "timestamp":
      return (value as TimestampValue).ns === minTimestamp;
    case "struct":
      return (value as StructValue).fields.size === 0;
    case "bool":
    case "double":
    case "int":
    case "string":
      return !value;
    default:
      return false;
  }
}
