// Merging an applied configuration into the live object, and taking out what nobody claims any more.
import { isObject, type JsonObject } from "../json-values.ts";
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
  for (const [name, value] of Object.entries(config)) merged[name] = merge(inside(shape, name), live[name], value);
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
  const items = shape.form === "keyed" ? shape.items : leaf;
  const merged: unknown[] = [];
  const done = new Set<string>();
  let at = 0;
  const take = (element: string) => {
    const before = mine.get(element) ?? [];
    done.add(element);
    // What the live list holds several times is not merged into.
    merged.push(merge(items, before.length > 1 ? undefined : before[0], theirs.get(element)?.[0]));
    if (shared[0] === element) shared.shift();
  };
  for (const element of wanted) {
    for (; at < order.length && order[at] !== element; at++) {
      const next = order[at] ?? "";
      if (!theirs.has(next)) merged.push(old[at]);
      else if (!done.has(next) && (shared[0] === undefined || shared[0] === next)) break;
    }
    if (order[at] === element) at++;
    take(element);
  }
  for (; at < order.length; at++) if (!theirs.has(order[at] ?? "")) merged.push(old[at]);
  return merged;
}

/** The value without the members of a set, and all that is below each. What becomes empty by that becomes null. */
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
    rest[name] = below ? removeFields(inside(shape, name), item, below) : item;
  }
  return Object.keys(rest).length > 0 ? rest : null;
}

/** An item in which nothing is left stays, as an empty one. */
function removeItems(shape: ListShape, list: readonly unknown[], gone: FieldSet): unknown[] | null {
  const items = shape.form === "keyed" ? shape.items : leaf;
  const rest = list.flatMap((item) => {
    const element = elementOf(shape, item);
    if (gone.members.has(element)) return [];
    const below = gone.children.get(element);
    return [below ? (removeFields(items, item, below) ?? {}) : item];
  });
  return rest.length > 0 ? rest : null;
}
