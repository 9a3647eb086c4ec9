// Checks that lists of the types set and map have no duplicates (upstream: schema/listtype).
import { type FieldError, type FieldPath, duplicate, invalid, rootPath } from "../../k8s/field.ts";
import { isObject, type JsonObject } from "../json-values.ts";
import { sortedCopy } from "../sorted-json.ts";
import type { SchemaNode } from "./node.ts";

export function validateListTypes(node: SchemaNode, value: unknown, at: FieldPath = rootPath): FieldError[] {
  if (Array.isArray(value)) return checkList(node, value as unknown[], at);
  return isObject(value) ? checkObject(node, value, at) : [];
}

function checkObject(node: SchemaNode, object: JsonObject, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const additional = node.additional();
  for (const [name, value] of Object.entries(object)) {
    if (typeof value !== "object" || value === null) continue;
    const field = node.property(name);
    if (typeof additional === "object") errors.push(...validateListTypes(additional, value, at.key(name)));
    if (field) errors.push(...validateListTypes(field, value, at.child(name)));
  }
  return errors;
}

function checkList(node: SchemaNode, list: readonly unknown[], at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (node.listType === "set") errors.push(...repeated(list).map((index) => duplicate(at.index(index), list[index])));
  if (node.listType === "map") errors.push(...checkMap(node.props["x-kubernetes-list-map-keys"] ?? [], list, at));
  const items = node.items();
  if (items) {
    for (const [index, item] of list.entries()) errors.push(...validateListTypes(items, item, at.index(index)));
  }
  return errors;
}

function checkMap(keys: readonly string[], list: readonly unknown[], at: FieldPath): FieldError[] {
  const wrong = list.findIndex((item) => item !== null && !isObject(item));
  if (wrong >= 0) {
    return [invalid(at.index(wrong), list[wrong], "must be an object for an array of list-type map")];
  }
  const values = list.map((item) => keysOf(item, keys));
  return repeated(values).map((index) => duplicate(at.index(index), values[index]));
}

function keysOf(item: unknown, keys: readonly string[]): JsonObject {
  if (!isObject(item)) return {};
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key]]));
}

/** Returns the indexes at which values occur for the second time. */
function repeated(list: readonly unknown[]): number[] {
  if (list.length <= 1) return [];
  const times = new Map<string, number>();
  const repeats: number[] = [];
  for (const [index, item] of list.entries()) {
    const text = typeof item === "object" ? JSON.stringify(sortedCopy(item)) : JSON.stringify(item);
    const occurrences = (times.get(text) ?? 0) + 1;
    times.set(text, occurrences);
    if (occurrences === 2) repeats.push(index);
  }
  return repeats;
}
