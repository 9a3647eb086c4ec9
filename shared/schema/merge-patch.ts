// JSON merge patch (RFC 7386), as upstream's library applies it.
import { ApiError } from "../k8s/status.ts";
import { copyJson, type JsonObject, getKey, isObject, setKey } from "./json-values.ts";

/** Returns the patched value, which shares nothing with the arguments. */
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
  // The library writes merged objects with sorted keys.
  for (const key of [...new Set([...Object.keys(before), ...Object.keys(patch)])].sort()) {
    if (!Object.hasOwn(patch, key)) setKey(result, key, copyJson(before[key]));
    else if (patch[key] !== null) setKey(result, key, mergeValue(getKey(before, key), patch[key]));
  }
  return result;
}

/** Returns the merged value. Lists are replaced; nulls in their objects are removed if there was no object before. */
function mergeValue(before: unknown, value: unknown): unknown {
  if (isObject(value)) return merge(before, value);
  if (Array.isArray(value) && !isObject(before)) return value.map(pruneNulls);
  return copyJson(value);
}

function pruneNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruneNulls);
  return isObject(value) ? merge({}, value) : value;
}
