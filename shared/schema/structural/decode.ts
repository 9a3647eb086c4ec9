// Decoding of custom objects: metadata as of any kind, the rest pruned, coerced and defaulted as their schema says.
import { ApiError } from "../../k8s/status.ts";
import type { Decoded } from "../decode.ts";
import { isObject, type JsonObject, setKey } from "../json-values.ts";
import { sortedCopy } from "../sorted-json.ts";
import { applyDefaults } from "./defaults.ts";
import type { SchemaNode } from "./node.ts";
import { coerceEmbedded, decodeMeta } from "./object-meta.ts";
import { prune, pruneNulls } from "./prune.ts";

/** The fresh object, with its keys in order, and the paths of what the schema does not know. */
export function decodeCustom(node: SchemaNode, value: unknown, fillsDefaults = true): Decoded {
  if (!isObject(value)) {
    const word = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    throw ApiError.badRequest(`json: cannot unmarshal ${word} into Go value of type map[string]interface {}`);
  }
  // A copy of an object.
  const object = sortedCopy(value) as JsonObject;
  const { apiVersion, kind } = object;
  const meta = decodeMeta(object["metadata"]);
  const unknown = [...meta.unknown, ...prune(object, node, true)];
  pruneNulls(object, node);
  unknown.push(...coerceEmbedded(object, node));
  if (fillsDefaults) applyDefaults(object, node);
  const whole: JsonObject = {
    ...(typeof apiVersion === "string" ? { apiVersion } : {}),
    ...(typeof kind === "string" ? { kind } : {}),
    metadata: meta.metadata,
  };
  for (const name of Object.keys(object)) if (!Object.hasOwn(whole, name)) setKey(whole, name, object[name]);
  return { object: sortedKeys(whole), unknown };
}

/** Only the outermost keys: those below are in order already, but for what defaults added. */
function sortedKeys(object: JsonObject): JsonObject {
  return sortedCopy(object) as JsonObject;
}
