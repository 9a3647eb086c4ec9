// Collects all fields of an object, which an applied configuration claims.
import { isObject } from "../json-values.ts";
import { inside, isHollow, isNoMap } from "./compare.ts";
import { type FieldSet, FieldSetBuilder } from "./field-set.ts";
import { groupItems } from "./items.ts";
import type { Shape } from "./shape.ts";

export function fieldsOf(shape: Shape, value: unknown): FieldSet {
  const builder = new FieldSetBuilder();
  collect(shape, value, builder);
  return builder.build();
}

function collect(shape: Shape, value: unknown, into: FieldSetBuilder): void {
  if (shape.form === "set" || shape.form === "keyed") {
    // An item is claimed itself, beside its fields.
    for (const [element, [item, ...more]] of groupItems(shape, value)) {
      into.add(element);
      if (more.length > 0) continue;
      if (shape.form === "keyed" && shape.items.form !== "leaf") collect(shape.items, item, into.below(element));
    }
    return;
  }
  if (!isObject(value)) return;
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const element = `f:${name}`;
    const below = inside(shape, name);
    const isEntry = shape.form === "map" || (shape.form === "struct" && shape.field(name) === undefined);
    const isWhole = below.form === "leaf" || (below.form === "map" && isNoMap(item));
    if (isWhole || isEntry || (isHollow(item) && !Array.isArray(item))) into.add(element);
    if (below.form !== "leaf") collect(below, item, into.below(element));
  }
}
