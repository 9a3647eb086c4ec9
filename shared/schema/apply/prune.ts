// What an applier claimed before and nobody claims now goes; what someone else owns, or nobody ever claimed, stays.
import { inside } from "./compare.ts";
import { FieldSet } from "./field-set.ts";
import { fieldsOf } from "./fields-of.ts";
import { removeFields } from "./merge.ts";
import { leaf, type Shape } from "./shape.ts";

/** `last` is what the applier claimed before, `claimed` what it claims now, `others` what all other managers do. */
export function prune(shape: Shape, merged: unknown, last: FieldSet, claimed: FieldSet, others: FieldSet): unknown {
  if (last.difference(claimed).isEmpty) return merged;
  const [before, now] = [withNamedFields(shape, last), withNamedFields(shape, claimed.union(others))];
  const all = withNamedFields(shape, fieldsOf(shape, merged));
  // Without what was claimed, and what was below it: that tells what nobody ever claimed from what went with a claim.
  const left = withNamedFields(shape, fieldsOf(shape, removeFields(shape, merged, before)));
  const owned = removeFields(shape, merged, all.difference(left.union(now)));
  const gone = all.difference(withNamedFields(shape, fieldsOf(shape, owned)));
  return removeFields(shape, merged, gone.intersection(before));
}

/** Fields of structs that are only passed through become members too; entries of maps and items of lists do not. */
function withNamedFields(shape: Shape, set: FieldSet): FieldSet {
  const members = new Set(set.members);
  const children = new Map<string, FieldSet>();
  for (const [element, child] of set.children) {
    const name = element.startsWith("f:") ? element.slice(2) : undefined;
    if (name !== undefined && shape.form === "struct" && shape.field(name)) members.add(element);
    const below = name === undefined ? (shape.form === "keyed" ? shape.items : leaf) : inside(shape, name);
    children.set(element, withNamedFields(below, child));
  }
  return FieldSet.of(members, children);
}
