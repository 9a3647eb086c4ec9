// The items of a list by the path element that names each.
import { isObject } from "../json-values.ts";
import type { Shape } from "./shape.ts";

export type ListShape = Extract<Shape, { form: "set" | "keyed" }>;

export function elementOf(shape: ListShape, item: unknown): string {
  if (shape.form === "set") return `v:${JSON.stringify(item)}`;
  const keys: Record<string, unknown> = {};
  const source = isObject(item) ? item : {};
  for (const { name, absent } of shape.keys) {
    const value = source[name] ?? absent;
    if (value !== undefined) keys[name] = value;
  }
  return `k:${JSON.stringify(keys)}`;
}

/** In order of the list. A name that several items have is owned as a whole: stored lists may hold such, configurations not. */
export function groupItems(shape: ListShape, list: unknown): Map<string, unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const item of Array.isArray(list) ? (list as unknown[]) : []) {
    const element = elementOf(shape, item);
    const group = groups.get(element);
    if (group) group.push(item);
    else groups.set(element, [item]);
  }
  return groups;
}
