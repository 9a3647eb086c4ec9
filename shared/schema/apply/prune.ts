// What an applier claimed before and nobody claims now goes; what someone else owns, or nobody ever claimed, stays.
import { isObject } from "../json-values.ts";
import { inside, isHollow } from "./compare.ts";
import { FieldSet } from "./field-set.ts";
import { fieldsOf } from "./fields-of.ts";
import { removeFields } from "./merge.ts";
import { leaf, type Shape } from "./shape.ts";
import type { Versioned } from "./versioned.ts";

/** Fields that a manager claims, as they are called in its version. */
interface Claim {
  readonly apiVersion: string;
  readonly fields: FieldSet;
}

/** `last` is what the applier claimed before, `claims` what it claims now and what all other managers do. */
export function prune(merged: Versioned, last: Claim, claims: readonly Claim[]): Versioned {
  const before = merged.as(last.apiVersion);
  if (!before || last.fields.isEmpty) return merged;
  const lastFields = withNamedFields(before.shape, last.fields);
  const removed = before.with(removeFields(before.shape, before.value, lastFields));
  const kept = withOwned(before, removed, claimsByVersion(claims, last.apiVersion)).as(last.apiVersion) ?? before;
  // What nobody ever claimed is told by that from what went with a claim.
  const gone = allFields(before).difference(allFields(kept));
  const pruned = before.with(removeFields(before.shape, before.value, gone.intersection(lastFields)));
  return pruned.as(merged.apiVersion) ?? merged;
}

/** Whether a configuration claims something as a whole whose parts may be there: then what is below was never claimed. */
export function claimsWholes(shape: Shape, config: unknown): boolean {
  if (shape.form === "leaf" || shape.form === "set") return false;
  if (shape.form === "keyed") {
    return Array.isArray(config) && config.some((item) => claimsWholes(shape.items, item));
  }
  if (!isObject(config)) return false;
  return Object.entries(config).some(([name, item]) => {
    const below = inside(shape, name);
    return below.form !== "leaf" && ((isHollow(item) && !Array.isArray(item)) || claimsWholes(below, item));
  });
}

/** What was removed and is claimed comes back, version by version. */
function withOwned(merged: Versioned, pruned: Versioned, claims: readonly Claim[]): Versioned {
  let [all, left] = [merged, pruned];
  for (const { apiVersion, fields } of claims) {
    const [whole, rest] = [all.as(apiVersion), left.as(apiVersion)];
    if (!whole || !rest) continue;
    const kept = allFields(rest).union(withNamedFields(whole.shape, fields));
    [all, left] = [whole, whole.with(removeFields(whole.shape, whole.value, allFields(whole).difference(kept)))];
  }
  return left;
}

/** One claim for each version, that of the last apply first: what a conversion needs is back before it is made. */
function claimsByVersion(claims: readonly Claim[], first: string): Claim[] {
  const versions = Map.groupBy(claims, ({ apiVersion }) => apiVersion);
  const all = [...versions].map(([apiVersion, ofVersion]) => ({
    apiVersion,
    fields: FieldSet.unionOf(ofVersion.map(({ fields }) => fields)),
  }));
  return all.sort((a, b) => Number(b.apiVersion === first) - Number(a.apiVersion === first));
}

function allFields({ shape, value }: Versioned): FieldSet {
  return withNamedFields(shape, fieldsOf(shape, value));
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
