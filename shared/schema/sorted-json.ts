// Copies of JSON values with their keys in order, as Go writes what it keeps in maps.
import { isObject, type JsonObject, setKey } from "./json-values.ts";

/** A fresh copy; fields that are undefined are left out. */
export function sortedCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedCopy);
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value).sort()) {
    if (value[key] !== undefined) setKey(copy, key, sortedCopy(value[key]));
  }
  return copy;
}
