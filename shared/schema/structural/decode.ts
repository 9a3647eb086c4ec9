// Decodes custom objects: metadata as in any kind, the rest pruned, coerced and defaulted by the schema.
import type { WorkMeter } from "../../k8s/bounds/work.ts";
import { ApiError } from "../../k8s/status.ts";
import type { Decoded } from "../decode.ts";
import { copyJson, isObject } from "../json-values.ts";
import { sortedCopy } from "../sorted-json.ts";
import { applyDefaults } from "./defaults.ts";
import type { SchemaNode } from "./node.ts";
import { coerceEmbedded, decodeMeta } from "./object-meta.ts";
import { prune, pruneNulls } from "./prune.ts";

export interface DecodeOptions {
  readonly leavesDefaults?: boolean;
  /** Whether nulls stay in places that do not allow them. */
  readonly keepsNulls?: boolean;
}

/** Returns a new object with sorted keys, and the paths of fields that the schema does not declare. */
export function decodeCustom(
  node: SchemaNode,
  value: unknown,
  meter: WorkMeter,
  { leavesDefaults = false, keepsNulls = false }: DecodeOptions = {},
): Decoded {
  if (!isObject(value)) {
    const word = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    throw ApiError.badRequest(`json: cannot unmarshal ${word} into Go value of type map[string]interface {}`);
  }
  const object = copyJson(value);
  const { apiVersion, kind } = object;
  const meta = decodeMeta(object["metadata"]);
  const unknown = [...meta.unknown, ...prune(object, node, true)];
  if (!keepsNulls) pruneNulls(object, node);
  unknown.push(...coerceEmbedded(object, node));
  if (!leavesDefaults) applyDefaults(object, node, meter);
  if (typeof apiVersion !== "string") delete object["apiVersion"];
  if (typeof kind !== "string") delete object["kind"];
  object["metadata"] = meta.metadata;
  return { object: sortedCopy(object), unknown };
}
