// The fields of a new object. They follow from its structure alone: the names of its fields and the keys of its list items. Clients create
// many objects of the same structure, so the set is computed once for each.
import { BoundedCache } from "../../base/bounded-cache.ts";
import { limits } from "../../base/limits.ts";
import { getKey, isObject } from "../json-values.ts";
import { inside, isLeaf } from "./compare.ts";
import type { FieldSet } from "./field-set.ts";
import { elementOf } from "./items.ts";
import { leaf, type Shape } from "./shape.ts";

interface CreatedFields {
  readonly fields: FieldSet;
  readonly size: number;
}

const cache = new BoundedCache<string, CreatedFields>(limits.createdStructureCharacters, ({ size }) => size);
const idsByObject = new WeakMap<object, number>();
let lastId = 0;

/**
 * Returns the fields that `compute` returns for an object of this structure. `empty` is the object of the shape without any field, and
 * `ignored` are the fields that `compute` leaves out.
 */
export function createdFields(
  { shape, live: empty, ignored }: { readonly shape: Shape; readonly live: unknown; readonly ignored: FieldSet },
  created: unknown,
  compute: () => FieldSet,
): FieldSet {
  const key = `${idOf(shape)} ${idOf(ignored)} ${structureInside(shape, empty, created)}`;
  if (key.length > limits.createdStructureCharacters / 10) return compute();
  const cached = cache.get(key);
  if (cached) return cached.fields;
  const fields = compute();
  cache.set(key, { fields, size: key.length });
  return fields;
}

function idOf(object: object): number {
  const id = idsByObject.get(object) ?? ++lastId;
  if (id === lastId) idsByObject.set(object, id);
  return id;
}

/** Returns a text that is equal for two values only if both differ from `empty` in the same fields. */
function structureAt(shape: Shape, empty: unknown, value: unknown): string {
  if (isLeaf(shape, empty, value)) return empty === undefined ? "." : JSON.stringify(value);
  return structureInside(shape, empty, value);
}

function structureInside(shape: Shape, empty: unknown, value: unknown): string {
  let text = "{";
  if (shape.form === "set" || shape.form === "keyed") {
    const items = shape.form === "keyed" ? shape.items : leaf;
    if (empty !== undefined || !Array.isArray(value)) return JSON.stringify(value);
    for (const item of value as unknown[]) text += named(elementOf(shape, item)) + structureAt(items, undefined, item);
    return `${text}}`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  const emptyFields = isObject(empty) ? empty : {};
  for (const name in value) {
    const field = value[name];
    if (field !== undefined) text += named(name) + structureAt(inside(shape, name), getKey(emptyFields, name), field);
  }
  return `${text}}`;
}

/** Returns a name with its length, so that no name looks like the structure around it. */
function named(name: string): string {
  return `${name.length}:${name}`;
}
