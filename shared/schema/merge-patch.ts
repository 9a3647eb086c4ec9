// JSON merge patch (RFC 7386), as the library that upstream uses applies it.
import { ApiError } from "../k8s/status.ts";
import { copyJson, type JsonObject, getKey, isObject, setKey } from "./json-values.ts";

/** The patched value; shares nothing with what was given. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (patch === null) throw ApiError.badRequest("Invalid JSON Patch");
  if (!isObject(patch)) {
    const word = Array.isArray(patch) ? "array" : typeof patch === "boolean" ? "bool" : typeof patch;
    throw ApiError.badRequest(
      `error decoding patch: json: cannot unmarshal ${word} into Go value of type map[string]interface {}`,
    );
  }
  return merge(target, patch);
}

function merge(target: unknown, patch: JsonObject): JsonObject {
  const result: JsonObject = {};
  const before = isObject(target) ? target : {};
  // What it merges, the library writes in order of the keys.
  for (const key of [...new Set([...Object.keys(before), ...Object.keys(patch)])].sort()) {
    if (!Object.hasOwn(patch, key)) setKey(result, key, copyJson(before[key]));
    else if (patch[key] !== null) setKey(result, key, mergeValue(getKey(before, key), patch[key]));
  }
  return result;
}

/** A list replaces; the objects in one lose their nulls where there was no object before. */
function mergeValue(before: unknown, value: unknown): unknown {
  if (isObject(value)) return merge(before, value);
  if (Array.isArray(value) && !isObject(before)) return value.map(pruneNulls);
  return copyJson(value);
}

function pruneNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruneNulls);
  return isObject(value) ? merge({}, value) : value;
}
