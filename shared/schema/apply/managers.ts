// Who owns which fields, and how a write changes that (upstream: structured-merge-diff's Updater and the field manager).
import { type Comparison, compare } from "./compare.ts";
import { fieldsOf } from "./fields-of.ts";
import { FieldSet } from "./field-set.ts";
import { merge, removeFields } from "./merge.ts";
import type { Shape } from "./shape.ts";

/** What tells two managers apart. */
export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  /** Of the version in which it wrote. An applier keeps its entry when it changes the version. */
  readonly apiVersion: string;
  readonly subresource?: string;
}

export interface Owned extends ManagerIdentity {
  readonly time?: string;
  readonly fields: FieldSet;
}

export interface Conflict {
  readonly owner: ManagerIdentity;
  readonly path: readonly string[];
}

export interface Write {
  readonly shape: Shape;
  readonly live: unknown;
  readonly owners: readonly Owned[];
  readonly writer: ManagerIdentity;
  /** RFC 3339. */
  readonly time: string;
  /** Fields that this endpoint resets: nobody comes to own them by it. */
  readonly ignored: FieldSet;
}

/** Fields that are nobody's: upstream's stripMeta. */
const serverFields = (() => {
  const meta = [
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ];
  const below = FieldSet.of(new Set(meta.map((name) => `f:${name}`)), new Map());
  return FieldSet.of(new Set(["f:apiVersion", "f:kind"]), new Map([["f:metadata", below]]));
})();
const metadataItself = FieldSet.of(new Set(["f:metadata"]), new Map());
/** Upstream folds the oldest updaters together past this many. */
const maxUpdaters = 10;
const foldedManager = "ancient-changes";

/** The owners after an ordinary write: the writer owns what it set, and whoever owned that loses it. */
export function ownersAfterUpdate(write: Write, next: unknown): Owned[] {
  const { shape, live, owners, writer, time } = write;
  const changes = filtered(compare(shape, live, next), write.ignored);
  const set = changes.added.union(changes.modified);
  const others = owners.map((owner) => ({
    ...owner,
    fields: owner.fields.difference(set).difference(changes.removed),
  }));
  if (set.isEmpty) return tidy(others);
  const own = others.find((owner) => isSame(owner, writer));
  const mine: Owned = { ...writer, time, fields: own ? own.fields.union(set) : set };
  return foldOld(tidy([...others.filter((owner) => owner !== own), mine]), writer);
}

export type Applied =
  | { readonly object: unknown; readonly owners: Owned[] }
  | { readonly conflicts: readonly Conflict[] };

/** Server-side apply: the object after it, or the conflicts. */
export function apply(write: Write, config: unknown, force: boolean): Applied {
  const { shape, live, writer, time, ignored } = write;
  const claimed = withoutServerFields(fieldsOf(shape, config)).without(ignored);
  const last = write.owners.find((owner) => isSame(owner, writer));
  const others = write.owners.filter((owner) => owner !== last);
  const merged = merge(shape, live, config);
  const object = last ? prune(shape, merged, last.fields, [...others.map((owner) => owner.fields), claimed]) : merged;
  const changes = filtered(compare(shape, live, object), FieldSet.empty);
  const set = changes.added.union(changes.modified);
  const conflicts = others.flatMap((owner) => conflictsWith(owner, set));
  if (conflicts.length > 0 && !force) return { conflicts };
  const left = others.map((owner) => ({ ...owner, fields: owner.fields.difference(set).difference(changes.removed) }));
  const isUnchanged = set.isEmpty && changes.removed.isEmpty && last?.fields.equals(claimed) === true;
  const mine: Owned = { ...writer, ...(isUnchanged && last.time ? { time: last.time } : { time }), fields: claimed };
  return { object, owners: tidy([...left, mine]) };
}

function conflictsWith(owner: Owned, set: FieldSet): Conflict[] {
  return [...owner.fields.intersection(set).paths()].map((path) => ({ owner, path }));
}

/** Takes out what the applier claimed before and nobody claims now. */
function prune(shape: Shape, merged: unknown, last: FieldSet, claims: readonly FieldSet[]): unknown {
  const kept = claims.reduce((all, one) => all.union(one), FieldSet.empty).withNamedFields();
  const gone = last.withNamedFields().difference(kept);
  return removeFields(shape, merged, onlyTop(gone, kept));
}

/** A field below which someone still claims something stays, though the field itself was given up. */
function onlyTop(gone: FieldSet, kept: FieldSet): FieldSet {
  const members = new Set([...gone.members].filter((element) => !kept.children.has(element)));
  const children = new Map<string, FieldSet>();
  for (const [element, child] of gone.children) {
    const below = onlyTop(child, kept.children.get(element) ?? FieldSet.empty);
    if (!below.isEmpty) children.set(element, below);
  }
  return FieldSet.of(members, children);
}

function filtered({ added, modified, removed }: Comparison, ignored: FieldSet): Comparison {
  const clean = (set: FieldSet) => withoutServerFields(set).without(ignored);
  return { added: clean(added), modified: clean(modified), removed: clean(removed) };
}

function withoutServerFields(set: FieldSet): FieldSet {
  return set.without(serverFields).difference(metadataItself);
}

export function isSame(a: ManagerIdentity, b: ManagerIdentity): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    (a.subresource ?? "") === (b.subresource ?? "") &&
    (a.operation === "Apply" || a.apiVersion === b.apiVersion)
  );
}

function tidy(owners: readonly Owned[]): Owned[] {
  return owners.filter((owner) => !owner.fields.isEmpty);
}

function foldOld(owners: Owned[], writer: ManagerIdentity): Owned[] {
  const updaters = owners
    .filter((owner) => owner.operation === "Update")
    .sort((a, b) => ((a.time ?? "") < (b.time ?? "") ? -1 : 1));
  const excess = updaters.length - maxUpdaters;
  if (excess <= 0) return owners;
  const old = updaters.filter((owner) => !isSame(owner, writer) && !owner.subresource).slice(0, excess + 1);
  const rest = owners.filter((owner) => !old.includes(owner));
  const byVersion = new Map<string, Owned>();
  for (const { apiVersion, time, fields } of old) {
    const before = byVersion.get(apiVersion);
    byVersion.set(apiVersion, {
      manager: foldedManager,
      operation: "Update",
      apiVersion,
      ...(time ? { time } : {}),
      fields: before ? before.fields.union(fields) : fields,
    });
  }
  return [...rest, ...byVersion.values()];
}
