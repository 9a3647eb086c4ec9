// How large a value is taken to be, and what it costs to read it.
import {
  type ListValue,
  type MapValue,
  type OpaqueValue,
  type OptionalValue,
  type Value,
  kindOf,
  sizeOf,
} from "../values.ts";

/** To read a character, and to run through a regular expression. */
export const traversal = 0.1;
export const perPatternChar = 0.25;
/** So dear that an expression may ask but twice. */
export const authorizationCheck = 350_000;
/** The longest expressions of named formats. */
export const formatPattern = 128;

/** Characters, bytes, items or entries; anything else is one. */
export function sizeOfValue(value: Value | undefined): number {
  if (value === undefined) return 1;
  switch (kindOf(value)) {
    case "string":
      return charsOf(value as string);
    case "bytes":
      return (value as Uint8Array).length;
    case "list":
    case "map":
      return sizeOf(value as ListValue | MapValue);
    case "optional": {
      const { value: inner } = value as OptionalValue;
      return inner === undefined ? 1 : sizeOfValue(inner);
    }
    case "opaque":
      return (value as OpaqueValue).size ?? 1;
    default:
      return 1;
  }
}

/** Code points. */
export function charsOf(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff) count--;
  }
  return count;
}

/** To read a selector and to keep its requirements, the shortest of which are two characters. */
export function selectorCost(length: number): number {
  const requirements = Math.ceil(length * 0.5);
  return 10 + Math.ceil(length * traversal) + Math.ceil(requirements * 50);
}
