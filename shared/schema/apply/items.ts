// The items of a list by the path element that names each.
import { isObject } from "../json-values.ts";
import type { Shape } from "./shape.ts";

type ListShape = Extract<Shape, { form: "set" | "keyed" }>;

export function elementOf(shape: ListShape, item: unknown): string {
  if (shape.form === "set") return `v:${JSON.stringify(item)}`;
  const keys: Record<string, unknown> = {};
  const source = isObject(item) ? item : {};
  for (const { name, absent } of [...shape.keys].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const value = source[name] ?? absent;
    if (value !== undefined) keys[name] = value;
  }
  return `k:${JSON.stringify(keys)}`;
}

/** In order of the list; of items with the same name the first counts. */
export function indexItems(shape: ListShape, list: unknown): Map<string, unknown> {
  const index = new Map<string, unknown>();
  for (const item of Array.isArray(list) ? (list as unknown[]) : []) {
    const element = elementOf(shape, item);
    if (!index.has(element)) index.set(element, item);
  }
  return index;
}
