// Who owns which fields, and how a write changes that (upstream: structured-merge-diff's Updater and the field manager).
import { type Comparison, compare, equal } from "./compare.ts";
import { fieldsOf } from "./fields-of.ts";
import { FieldSet } from "./field-set.ts";
import { merge } from "./merge.ts";
import { prune } from "./prune.ts";
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
  return foldOld(tidy([...others.filter((owner) => owner !== own), mine]));
}

export type Applied =
  | { readonly object: unknown; readonly owners: Owned[] }
  | { readonly conflicts: readonly Conflict[] };

/** Server-side apply: the object after it, or the conflicts. */
export function apply(write: Write, config: unknown, force: boolean): Applied {
  const { shape, live, writer, time, ignored } = write;
  const claimed = fieldsOf(shape, config).without(ignored);
  const last = write.owners.find((owner) => isSame(owner, writer));
  const others = write.owners.filter((owner) => owner !== last);
  const merged = merge(shape, live, config);
  const theirs = others.reduce((all, { fields }) => all.union(fields), FieldSet.empty);
  const object = last ? prune(shape, merged, last.fields, claimed, theirs) : merged;
  const changes = filtered(compare(shape, live, object), ignored);
  const set = changes.added.union(changes.modified);
  const conflicts = others.flatMap((owner) => conflictsWith(owner, set));
  if (conflicts.length > 0 && !force) return { conflicts };
  const left = others.map((owner) => ({ ...owner, fields: owner.fields.difference(set).difference(changes.removed) }));
  // An apply that changes nothing is not dated: a manager that only joins the owners has no time at all.
  const at = equal(live, object) ? last?.time : time;
  const mine: Owned = { ...writer, ...(at ? { time: at } : {}), fields: withoutServerFields(claimed) };
  return { object, owners: tidy([...left, mine]) };
}

function conflictsWith(owner: Owned, set: FieldSet): Conflict[] {
  return [...owner.fields.intersection(set).paths()].map((path) => ({ owner, path }));
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

/** Updaters past the limit become one for each version, the oldest first. */
function foldOld(owners: readonly Owned[]): Owned[] {
  const updaters = owners
    .filter((owner) => owner.operation === "Update")
    .map((owner) => ({ owner, age: `${owner.time ?? ""} ${identifier(owner)}` }))
    .sort((a, b) => (a.age < b.age ? -1 : 1));
  let excess = updaters.length - maxUpdaters;
  if (excess <= 0) return [...owners];
  const first = new Map<string, Owned>();
  const folded = new Map<string, Owned>();
  const gone = new Set<Owned>();
  for (const { owner } of updaters) {
    if (excess <= 0) break;
    const { apiVersion, time, fields } = owner;
    const oldest = first.get(apiVersion);
    if (oldest) {
      const before = folded.get(apiVersion) ?? oldest;
      const writer = { manager: foldedManager, operation: "Update", apiVersion } as const;
      folded.set(apiVersion, { ...writer, ...(time ? { time } : {}), fields: before.fields.union(fields) });
      gone.add(oldest).add(owner);
      excess--;
    } else {
      first.set(apiVersion, owner);
    }
  }
  return [...owners.filter((owner) => !gone.has(owner)), ...folded.values()];
}

/** A manager's name among others, which decides their order where nothing else does. */
export function identifier({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  const version = operation === "Update" ? { apiVersion } : {};
  return JSON.stringify({ manager, operation, ...version, ...(subresource ? { subresource } : {}) });
}
