// Merge strategies and merge keys of the type graph, and the errors of strategic merge in upstream's words.
import { ApiError } from "../../k8s/status.ts";
import { type Field, type TypeNode, typeOf } from "../graph.ts";
import type { JsonObject } from "../json-values.ts";

/** A position in the type graph. Only a struct knows its fields. */
export type Schema = { readonly node: TypeNode } | { readonly goKind: string };

export interface PatchMeta {
  readonly schema: Schema;
  readonly strategy: string;
  readonly mergeKey: string;
}

/** Returns how the object in a field is merged. */
export function objectMeta(schema: Schema, key: string): PatchMeta {
  const field = lookUp(schema, key);
  return { schema: field.shape === "map" ? { goKind: "map" } : itemSchema(field), ...tagsOf(field) };
}

/** Returns how the list in a field is merged; the schema is that of an item. */
export function listMeta(schema: Schema, key: string): PatchMeta {
  const field = lookUp(schema, key);
  if (field.shape !== "list") throw failure("expected slice or array type, but got: struct");
  return { schema: itemSchema(field), ...tagsOf(field) };
}

export function rootSchema(type: string): Schema | undefined {
  const node = typeOf(type);
  return node && { node };
}

/** Returns upstream's kind of a schema, as its errors name it. */
export function kindName(schema: Schema): string {
  return "node" in schema ? "struct" : schema.goKind;
}

/** Returns the error of a malformed patch. Upstream answers some of these with 500, this always with 400. */
export function badPatch(message: string): ApiError {
  return ApiError.badRequest(message);
}

export function failure(message: string): ApiError {
  return new ApiError(400, "", message);
}

export function wrongType(expected: "list" | "map", actual: unknown): ApiError {
  const names = { list: "[]interface {}", map: "map[string]interface {}" };
  return failure(`expected a ${names[expected]}, but received a ${goTypeOf(actual)}`);
}

export function noMergeKey(item: JsonObject, mergeKey: string): ApiError {
  return failure(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
}

/** Formats a JSON value like Go's `%v`. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (typeof value !== "object") return typeof value === "string" ? value : JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, item]) => `${key}:${goText(item)}`).join(" ")}]`;
}

export function goTypeOf(value: unknown): string {
  if (value === null || value === undefined) return "%!s(<nil>)";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return "string";
}

function lookUp(schema: Schema, key: string): Field {
  if (!("node" in schema)) {
    throw failure(`merging an object in json but data type is not struct, instead is: ${schema.goKind}`);
  }
  const field = schema.node.byJson.get(key);
  if (field) return field;
  throw failure(`unable to find api field in struct ${schema.node.local} for the json field ${JSON.stringify(key)}`);
}

function itemSchema(field: Field): Schema {
  const node = field.form === "struct" ? typeOf(field.type) : undefined;
  return node ? { node } : { goKind: field.form === "string" ? "string" : field.goType };
}

/** Returns strategy and key. `retainKeys` beside another strategy only concerns clients that create patches. */
function tagsOf({ facts }: Field): { strategy: string; mergeKey: string } {
  const strategy = (facts.patchStrategy ?? "").split(",").filter((strategyName) => strategyName !== "retainKeys");
  return { strategy: strategy[0] ?? "", mergeKey: facts.patchMergeKey ?? "" };
}
