// Orders the fields of a known type as Go declares them, with `kind` before `apiVersion`.
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import { type TypeNode, typeOf } from "../../../shared/schema/graph.ts";
import { typeNameOf } from "../types.ts";
import { textOf } from "../object.ts";

export function declaredOrder(object: JsonObject): JsonObject {
  const node = typeOf(typeNameOf(textOf(object.apiVersion), textOf(object.kind)) ?? "");
  if (!node) return object;
  const { kind, apiVersion, ...rest } = ordered(object, node);
  return { kind, apiVersion, ...rest };
}

function ordered(object: JsonObject, node: TypeNode): JsonObject {
  const declaredFields = node.fields.filter(({ json }) => Object.hasOwn(object, json));
  const names = new Set(declaredFields.map(({ json }) => json));
  const result: JsonObject = {};
  for (const { json, type, form, shape } of declaredFields) {
    const inner = form === "struct" ? typeOf(type) : undefined;
    result[json] = shape === "map" && !inner ? sorted(object[json]) : inner ? below(object[json], inner) : object[json];
  }
  for (const key of Object.keys(object)) if (!names.has(key)) result[key] = object[key];
  return result;
}

function below(value: unknown, node: TypeNode): unknown {
  if (Array.isArray(value)) return value.map((item) => below(item, node));
  return isObject(value) ? ordered(value, node) : value;
}

function sorted(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
