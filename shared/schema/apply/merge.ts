// Merging an applied configuration into the live object, and taking out what nobody claims any more.
import { getKey, isObject, type JsonObject, setKey } from "../json-values.ts";
import { inside, isHollow } from "./compare.ts";
import type { FieldSet } from "./field-set.ts";
import { elementOf, groupItems, type ListShape } from "./items.ts";
import { leaf, type Shape } from "./shape.ts";

/** The live value with the configuration's laid over it. Neither is changed. */
export function merge(shape: Shape, live: unknown, config: unknown): unknown {
  if (config === undefined) return live;
  if (live === undefined || shape.form === "leaf" || (isHollow(live) && isHollow(config))) return config;
  // Of what is owned in parts, null claims none.
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
 * The configuration's order holds for its own items; items of the live list alone keep their place before the next item that
 * both have.
 */
function mergeList(shape: ListShape, live: unknown, config: unknown): unknown[] {
  const old: readonly unknown[] = Array.isArray(live) ? live : [];
  const order = old.map((item) => elementOf(shape, item));
  const [mine, theirs] = [groupItems(shape, old), groupItems(shape, config)];
  const wanted = [...theirs.keys()];
  const shared = wanted.filter((element) => mine.has(element));
  let turn = 0;
  const items = shape.form === "keyed" ? shape.items : leaf;
  const merged: unknown[] = [];
  const done = new Set<string>();
  const take = (element: string) => {
    const before = mine.get(element) ?? [];
    // What the live list holds several times is not merged into.
    merged.push(merge(items, before.length > 1 ? undefined : before[0], theirs.get(element)?.[0]));
    done.add(element);
    if (shared[turn] === element) turn++;
  };
  for (let [at, next] = [0, 0]; at < order.length || next < wanted.length; ) {
    const [here, element] = [order[at], wanted[next]];
    if (here !== undefined && here === element) {
      take(element);
      [at, next] = [at + 1, next + 1];
    } else if (here !== undefined && !theirs.has(here)) {
      merged.push(old[at++]);
    } else if (here !== undefined && element !== undefined && shared[turn] !== undefined && shared[turn] !== here) {
      // An item of both, whose turn is another time.
      at++;
    } else {
      if (here !== undefined && done.has(here)) at++;
      if (element !== undefined) take(element);
      next++;
    }
  }
  return merged;
}

/** The value without the members of a set, and all that is below each. What becomes empty by that stays, empty. */
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
