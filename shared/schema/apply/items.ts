// Groups the items of a list by their path elements.
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

/**
 * Groups items in the order of the list. Items with the same element are owned as one. Stored lists may have such items, configurations may
 * not.
 */
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
