// Removes fields that an applier claimed before and nobody claims now. Fields with other owners, and fields without any owner, stay.
import { isObject } from "../json-values.ts";
import { inside, isHollow } from "./compare.ts";
import { FieldSet } from "./field-set.ts";
import { fieldsOf } from "./fields-of.ts";
import { removeFields } from "./merge.ts";
import { leaf, type Shape } from "./shape.ts";
import type { Versioned } from "./versioned.ts";

/** The fields that a manager claims, named as in its version. */
interface Claim {
  readonly apiVersion: string;
  readonly fields: FieldSet;
}

/** Prunes the merged object. `last` is the applier's previous claim; `claims` are its new claim and those of all other managers. */
export function prune(merged: Versioned, last: Claim, claims: readonly Claim[]): Versioned {
  const before = merged.as(last.apiVersion);
  if (!before || last.fields.isEmpty) return merged;
  const lastFields = withNamedFields(before.shape, last.fields);
  const removed = before.with(removeFields(before.shape, before.value, lastFields));
  const retained = withOwned(before, removed, claimsByVersion(claims, last.apiVersion)).as(last.apiVersion) ?? before;
  // Fields that were removed together with a claimed field, but never claimed themselves, stay.
  const gone = allFields(before).difference(allFields(retained));
  const pruned = before.with(removeFields(before.shape, before.value, gone.intersection(lastFields)));
  return pruned.as(merged.apiVersion) ?? merged;
}

/** Reports whether a configuration claims a value as one that may have fields: those were never claimed then. */
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

/** Restores removed fields that are claimed, version by version. */
function withOwned(merged: Versioned, pruned: Versioned, claims: readonly Claim[]): Versioned {
  let [all, left] = [merged, pruned];
  for (const { apiVersion, fields } of claims) {
    const [full, rest] = [all.as(apiVersion), left.as(apiVersion)];
    if (!full || !rest) continue;
    const retained = allFields(rest).union(withNamedFields(full.shape, fields));
    [all, left] = [full, full.with(removeFields(full.shape, full.value, allFields(full).difference(retained)))];
  }
  return left;
}

/** Merges claims by version, beginning with that of the last apply, whose fields a conversion may need. */
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

/** Adds structs above members to the set; entries of maps and items of lists are not added. */
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
