// Computes the JSON merge patch (RFC 7386) between two values.
import { equalJson, isObject, type JsonObject, setKey } from "./json-values.ts";

/** Returns the patch that turns `from` into `to`; undefined if both are equal. Lists are replaced as a whole. */
export function mergePatchOf(from: JsonObject, to: JsonObject): JsonObject | undefined {
  const patch: JsonObject = {};
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) setKey(patch, key, null);
  for (const [key, value] of Object.entries(to)) {
    const before = Object.hasOwn(from, key) ? from[key] : undefined;
    if (equalJson(before, value)) continue;
    const inner = isObject(before) && isObject(value) ? mergePatchOf(before, value) : value;
    if (inner !== undefined) setKey(patch, key, inner);
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}
