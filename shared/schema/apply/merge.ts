// Merges an applied configuration into the live object, and removes fields that nobody claims any more.
import { getKey, isObject, type JsonObject, setKey } from "../json-values.ts";
import { inside, isHollow } from "./compare.ts";
import type { FieldSet } from "./field-set.ts";
import { elementOf, groupItems, type ListShape } from "./items.ts";
import { leaf, type Shape } from "./shape.ts";

/** Returns the live value with the configuration merged into it. Neither is changed. */
export function merge(shape: Shape, live: unknown, config: unknown): unknown {
  if (config === undefined) return live;
  if (live === undefined || shape.form === "leaf" || (isHollow(live) && isHollow(config))) return config;
  // A null claims no field of a value that is owned field by field.
  if (config === null) return live;
  if (shape.form === "set" || shape.form === "keyed") return mergeList(shape, live, config);
  if (!isObject(live) || !isObject(config)) return config;
  const merged: JsonObject = { ...live };
  for (const [name, value] of Object.entries(config)) {
    setKey(merged, name, merge(inside(shape, name), getKey(live, name), value));
  }
  return merged;
}

/**
 * Merges lists. The configuration's items keep their order. Items of the live list alone keep their place before the next item that both
 * lists have.
 */
function mergeList(shape: ListShape, live: unknown, config: unknown): unknown[] {
  const old: readonly unknown[] = Array.isArray(live) ? live : [];
  const order = old.map((item) => elementOf(shape, item));
  const [mine, theirs] = [groupItems(shape, old), groupItems(shape, config)];
  const configured = [...theirs.keys()];
  const shared = configured.filter((element) => mine.has(element));
  let turn = 0;
  const items = shape.form === "keyed" ? shape.items : leaf;
  const merged: unknown[] = [];
  const done = new Set<string>();
  const take = (element: string) => {
    const before = mine.get(element) ?? [];
    // Items that the live list has several times are replaced, not merged.
    merged.push(merge(items, before.length > 1 ? undefined : before[0], theirs.get(element)?.[0]));
    done.add(element);
    if (shared[turn] === element) turn++;
  };
  for (let [at, next] = [0, 0]; at < order.length || next < configured.length; ) {
    const [here, element] = [order[at], configured[next]];
    if (here !== undefined && here === element) {
      take(element);
      [at, next] = [at + 1, next + 1];
    } else if (here !== undefined && !theirs.has(here)) {
      merged.push(old[at++]);
    } else if (here !== undefined && element !== undefined && shared[turn] !== undefined && shared[turn] !== here) {
      // Both lists have this item, and it comes later in the configuration.
      at++;
    } else {
      if (here !== undefined && done.has(here)) at++;
      if (element !== undefined) take(element);
      next++;
    }
  }
  return merged;
}

/** Returns the value without the members of a set and everything below them. Values that become empty stay. */
export function removeFields(shape: Shape, value: unknown, gone: FieldSet): unknown {
  if (gone.isEmpty) return value;
  if (shape.form === "set" || shape.form === "keyed") {
    return Array.isArray(value) ? removeItems(shape, value, gone) : value;
  }
  if (!isObject(value)) return value;
  const rest: JsonObject = {};
  for (const [name, item] of Object.entries(value)) {
    const element = `f:${name}`;
    if (gone.members.has(element)) continue;
    const below = gone.children.get(element);
    setKey(rest, name, below ? removeFields(inside(shape, name), item, below) : item);
  }
  return rest;
}

function removeItems(shape: ListShape, list: readonly unknown[], gone: FieldSet): unknown[] {
  const items = shape.form === "keyed" ? shape.items : leaf;
  return list.flatMap((item) => {
    const element = elementOf(shape, item);
    if (gone.members.has(element)) return [];
    const below = gone.children.get(element);
    return [below ? removeFields(items, item, below) : item];
  });
}
