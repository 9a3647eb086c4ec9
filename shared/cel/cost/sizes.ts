// The sizes of values as upstream counts them, and the cost of reading them.
import {
  type ListValue,
  type MapValue,
  type OpaqueValue,
  type OptionalValue,
  type Value,
  kindOf,
  sizeOf,
} from "../values.ts";

/** The cost of reading one character, and of matching it with a regular expression. */
export const traversal = 0.1;
export const perPatternChar = 0.25;
/** The cost of one authorization check. An expression can afford only two of them. */
export const authorizationCheck = 350_000;
/** The length of the longest pattern of a named format. */
export const formatPattern = 128;

/** Returns the number of characters, bytes, items or entries; 1 for any other value. */
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

/** Returns the number of code points. */
export function charsOf(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff) count--;
  }
  return count;
}

/** Returns the cost of parsing a selector and of storing its requirements, the shortest of which have two characters. */
export function selectorCost(length: number): number {
  const requirements = Math.ceil(length * 0.5);
  return 10 + Math.ceil(length * traversal) + Math.ceil(requirements * 50);
}
