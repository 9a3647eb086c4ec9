// Copies JSON with sorted keys, as Go writes maps.
import { isObject, type JsonObject, setKey } from "./json-values.ts";

/** Returns a deep copy without undefined fields. */
export function sortedCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedCopy);
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value).sort()) {
    if (value[key] !== undefined) setKey(copy, key, sortedCopy(value[key]));
  }
  return copy;
}
