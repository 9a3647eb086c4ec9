// Merging an applied configuration into the live object, and taking out what nobody claims any more.
import { isObject, type JsonObject } from "../json-values.ts";
import { inside } from "./compare.ts";
import type { FieldSet } from "./field-set.ts";
import { elementOf, indexItems } from "./items.ts";
import { leaf, type Shape } from "./shape.ts";

/** The live value with the configuration's laid over it. Neither is changed. */
export function merge(shape: Shape, live: unknown, config: unknown): unknown {
  if (config === undefined) return live;
  if (live === undefined || live === null || config === null || shape.form === "leaf") return config;
  if (shape.form === "set" || shape.form === "keyed") return mergeList(shape, live, config);
  if (!isObject(live) || !isObject(config)) return config;
  const merged: JsonObject = { ...live };
  for (const [name, value] of Object.entries(config)) merged[name] = merge(inside(shape, name), live[name], value);
  return merged;
}

/**
 * The configuration's order holds for its own items; items of the live list alone keep their place before the next item that
 * both have.
 */
function mergeList(shape: Extract<Shape, { form: "set" | "keyed" }>, live: unknown, config: unknown): unknown[] {
  const [old, next] = [indexItems(shape, live), indexItems(shape, config)];
  const items = shape.form === "keyed" ? shape.items : leaf;
  const order = [...old.keys()];
  const shared = [...next.keys()].filter((element) => old.has(element));
  const done = new Set<string>();
  const merged: unknown[] = [];
  let at = 0;
  /** Moves on over the live list: its own items are taken, shared ones that are not the wanted one are passed over. */
  const takeLive = (wanted: string | undefined) => {
    for (; at < order.length; at++) {
      const element = order[at] ?? "";
      if (next.has(element)) {
        if (element === wanted && !done.has(element)) return;
        continue;
      }
      merged.push(old.get(element));
    }
  };
  for (const [element, item] of next) {
    takeLive(shared.find((one) => !done.has(one)));
    done.add(element);
    merged.push(merge(items, old.get(element), item));
    if (order[at] === element) at++;
  }
  takeLive(undefined);
  return merged;
}

/** The value without the members of a set, and all that is below each. */
export function removeFields(shape: Shape, value: unknown, gone: FieldSet): unknown {
  if (gone.isEmpty) return value;
  if (shape.form === "set" || shape.form === "keyed") {
    if (!Array.isArray(value)) return value;
    const items = shape.form === "keyed" ? shape.items : leaf;
    return (value as unknown[]).flatMap((item) => {
      const element = elementOf(shape, item);
      if (gone.members.has(element)) return [];
      const below = gone.children.get(element);
      return [below ? removeFields(items, item, below) : item];
    });
  }
  if (!isObject(value)) return value;
  const rest: JsonObject = {};
  for (const [name, item] of Object.entries(value)) {
    const element = `f:${name}`;
    if (gone.members.has(element)) continue;
    const below = gone.children.get(element);
    rest[name] = below ? removeFields(inside(shape, name), item, below) : item;
  }
  return rest;
}
