// The difference of two objects, field by field, in the granularity of ownership.
import { isSameEmpty } from "../given-empty.ts";
import { getKey, isObject } from "../json-values.ts";
import { type FieldSet, FieldSetBuilder } from "./field-set.ts";
import { groupItems, type ListShape } from "./items.ts";
import { leaf, type Shape } from "./shape.ts";

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

interface Builders {
  readonly added: FieldSetBuilder;
  readonly modified: FieldSetBuilder;
  readonly removed: FieldSetBuilder;
}

/** Compares two objects of the shape. */
export function compare(shape: Shape, before: unknown, after: unknown): Comparison {
  const builders = { added: new FieldSetBuilder(), modified: new FieldSetBuilder(), removed: new FieldSetBuilder() };
  compareInside(shape, before, after, builders);
  return { added: builders.added.build(), modified: builders.modified.build(), removed: builders.removed.build() };
}

/** Compares two values; `undefined` stands for an absent value. */
function compareAt(shape: Shape, element: string, before: unknown, after: unknown, into: Builders): void {
  if (before === after) return;
  if (before === undefined) return addAt(shape, element, after, into.added);
  if (isLeaf(shape, before, after)) {
    if (after === undefined) into.removed.add(element);
    else if (!equal(before, after)) into.modified.add(element);
    return;
  }
  compareInside(shape, before, after, {
    added: into.added.below(element),
    modified: into.modified.below(element),
    removed: into.removed.below(element),
  });
  if (after === undefined) into.removed.add(element);
}

/** Adds the fields of a value that was absent before, as everything is when an object is created. */
function addAt(shape: Shape, element: string, value: unknown, added: FieldSetBuilder): void {
  if (value === undefined) return;
  if (!isLeaf(shape, undefined, value)) addInside(shape, value, added.below(element));
  added.add(element);
}

function addInside(shape: Shape, value: unknown, added: FieldSetBuilder): void {
  if (shape.form === "set" || shape.form === "keyed") {
    const items = shape.form === "keyed" ? shape.items : leaf;
    for (const [element, [first, ...more]] of groupItems(shape, value)) {
      if (more.length > 0) added.add(element);
      else addAt(items, element, first, added);
    }
    return;
  }
  if (!isObject(value)) return;
  for (const name in value) addAt(inside(shape, name), `f:${name}`, value[name], added);
}

function compareInside(shape: Shape, before: unknown, after: unknown, into: Builders): void {
  if (shape.form === "set" || shape.form === "keyed") {
    compareLists(shape, before, after, into);
    return;
  }
  const [old, next] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
  for (const name in old) compareAt(inside(shape, name), `f:${name}`, old[name], getKey(next, name), into);
  for (const name in next) {
    if (!Object.hasOwn(old, name)) compareAt(inside(shape, name), `f:${name}`, undefined, next[name], into);
  }
}

function compareLists(shape: ListShape, before: unknown, after: unknown, into: Builders): void {
  const [old, next] = [groupItems(shape, before), groupItems(shape, after)];
  const items = shape.form === "keyed" ? shape.items : leaf;
  for (const element of new Set([...old.keys(), ...next.keys()])) {
    const [was, is] = [old.get(element) ?? [], next.get(element) ?? []];
    if (was.length <= 1 && is.length <= 1) {
      compareAt(items, element, was[0], is[0], into);
    } else if (was.length > 1 && is.length > 1) {
      if (!equal(was, is)) into.modified.add(element);
    } else if (was.length > 1) {
      // Several items became one, or none: all of them are removed, and the remaining one is added.
      compareAt(items, element, undefined, is[0], into);
      into.removed.add(element);
    } else {
      compareAt(items, element, was[0], undefined, into);
      into.added.add(element);
    }
  }
}

/** Returns the shape of a field or of a map entry. */
export function inside(shape: Shape, name: string): Shape {
  if (shape.form === "struct") return shape.field(name) ?? shape.rest ?? leaf;
  return shape.form === "map" ? shape.values : leaf;
}

/**
 * Reports whether two values are compared as one. Values that are empty on both sides are, so that an empty map differs from an absent one.
 */
export function isLeaf(shape: Shape, before: unknown, after: unknown): boolean {
  if (shape.form === "map" && (isNoMap(before) || isNoMap(after))) return true;
  return shape.form === "leaf" || (isHollow(before) && isHollow(after));
}

/** Reports whether a value is present but has no entries. */
export function isNoMap(value: unknown): boolean {
  return value !== undefined && value !== null && !isObject(value);
}

export function isHollow(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length === 0 && b.length === 0) return isSameEmpty(a, b);
    return a.length === b.length && a.every((item, at) => equal(item, (b as unknown[])[at]));
  }
  if (!isObject(a) || !isObject(b) || Array.isArray(a) || Array.isArray(b)) return false;
  const names = Object.keys(a);
  if (names.length === 0 && Object.keys(b).length === 0) return isSameEmpty(a, b);
  return (
    names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && equal(a[name], b[name]))
  );
}
