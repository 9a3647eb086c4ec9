// Who owns which fields, and how a write changes that (upstream: structured-merge-diff's Updater and the field manager).
import { type Comparison, compare, equal } from "./compare.ts";
import { fieldsOf } from "./fields-of.ts";
import { FieldSet } from "./field-set.ts";
import { merge } from "./merge.ts";
import { claimsWholes, prune } from "./prune.ts";
import type { Shape } from "./shape.ts";
import { type Convert, Versioned } from "./versioned.ts";

/** What tells two managers apart. */
export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  /** Of the version in which it wrote. An applier keeps its entry when it changes the version. */
  readonly apiVersion: string;
  readonly subresource?: string;
}

export interface ManagedFields extends ManagerIdentity {
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
  readonly managers: readonly ManagedFields[];
  readonly writer: ManagerIdentity;
  /** RFC 3339. */
  readonly time: string;
  /** Fields that this endpoint resets: nobody comes to own them by it. */
  readonly ignored: FieldSet;
  /** Absent where the kind has one version, and managers of any count as its. */
  readonly convert?: Convert;
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

/** The managers after an ordinary write: the writer owns what it set, and whoever owned that loses it. */
export function managersAfterUpdate(write: Write, next: unknown): ManagedFields[] {
  const { managers, writer, time } = write;
  const changes = changesOf(write, next);
  const own = managers.find((owner) => isSame(owner, writer));
  const others = left(
    managers.filter((owner) => owner !== own),
    changes,
  );
  const { added, modified, removed } = changes(writer.apiVersion) ?? none;
  const set = added.union(modified);
  // One that set nothing keeps its time.
  if (set.isEmpty) return tidy([...others, ...(own ? [{ ...own, fields: own.fields.difference(removed) }] : [])]);
  const mine = own ? withFields(own.fields.difference(removed), set) : set;
  return foldOld(tidy([...others, { ...writer, time, fields: mine }]));
}

/** The same set where it has them all. */
function withFields(fields: FieldSet, added: FieldSet): FieldSet {
  return added.difference(fields).isEmpty ? fields : fields.union(added);
}

export type Applied =
  | { readonly object: unknown; readonly managers: ManagedFields[] }
  | { readonly conflicts: readonly Conflict[] };

/** Server-side apply: the object after it, or the conflicts. */
export function apply(write: Write, config: unknown, force: boolean): Applied {
  const { shape, live, writer, time, ignored } = write;
  const claimed = fieldsOf(shape, config).without(ignored);
  const last = write.managers.find((owner) => isSame(owner, writer));
  const others = write.managers.filter((owner) => owner !== last);
  const merged = new Versioned(shape, writer.apiVersion, merge(shape, live, config), write.convert);
  const mine = { ...writer, fields: claimed };
  const object = (last && !isStill(write, last, claimed, config) ? prune(merged, last, [mine, ...others]) : merged)
    .value;
  const changes = changesOf(write, object);
  const conflicts = others.flatMap((owner) => conflictsWith(owner, changes(owner.apiVersion)));
  if (conflicts.length > 0 && !force) return { conflicts };
  // An apply that changes nothing is not dated: a manager that only joins the managers has no time at all.
  const at = equal(live, object) ? last?.time : time;
  const own: ManagedFields = { ...mine, ...(at ? { time: at } : {}), fields: withoutServerFields(claimed) };
  return { object, managers: tidy([...left(others, changes), own]) };
}

/** Whether all that was claimed before is claimed in the same way now, so that nothing is given up. */
function isStill({ shape, writer }: Write, last: ManagedFields, claimed: FieldSet, config: unknown): boolean {
  if (last.apiVersion !== writer.apiVersion || claimsWholes(shape, config)) return false;
  return last.fields.difference(claimed).isEmpty;
}

const none: Comparison = { added: FieldSet.empty, modified: FieldSet.empty, removed: FieldSet.empty };

/** What a write changes, as each version calls it; undefined for what is no version of the kind. */
function changesOf({ shape, live, writer, ignored, convert }: Write, next: unknown) {
  const before = new Versioned(shape, writer.apiVersion, live, convert);
  const after = before.with(next);
  const known = new Map<string, Comparison | undefined>();
  return (apiVersion: string): Comparison | undefined => {
    if (!known.has(apiVersion)) known.set(apiVersion, compared(before.as(apiVersion), after.as(apiVersion), ignored));
    return known.get(apiVersion);
  };
}

function compared(before: Versioned | undefined, after: Versioned | undefined, ignored: FieldSet) {
  return before && after && filtered(compare(before.shape, before.value, after.value), ignored);
}

/** The managers with what was not taken from them. Those of versions that there are no more are forgotten. */
function left(
  managers: readonly ManagedFields[],
  changes: (apiVersion: string) => Comparison | undefined,
): ManagedFields[] {
  return managers.flatMap((owner) => {
    const change = changes(owner.apiVersion);
    if (!change) return [];
    const { added, modified, removed } = change;
    return [{ ...owner, fields: owner.fields.difference(added).difference(modified).difference(removed) }];
  });
}

function conflictsWith(owner: ManagedFields, changes: Comparison | undefined): Conflict[] {
  if (!changes) return [];
  return [...owner.fields.intersection(changes.added.union(changes.modified)).paths()].map((path) => ({ owner, path }));
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

function tidy(managers: readonly ManagedFields[]): ManagedFields[] {
  return managers.filter((owner) => !owner.fields.isEmpty);
}

/** Updaters past the limit become one for each version, the oldest first. */
function foldOld(managers: readonly ManagedFields[]): ManagedFields[] {
  if (managers.length <= maxUpdaters) return [...managers];
  const updaters = managers
    .filter((owner) => owner.operation === "Update")
    .map((owner) => ({ owner, age: `${owner.time ?? ""} ${identifier(owner)}` }))
    .sort((a, b) => (a.age < b.age ? -1 : 1));
  let excess = updaters.length - maxUpdaters;
  if (excess <= 0) return [...managers];
  const first = new Map<string, ManagedFields>();
  const folded = new Map<string, ManagedFields>();
  const gone = new Set<ManagedFields>();
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
  return [...managers.filter((owner) => !gone.has(owner)), ...folded.values()];
}

/** A manager's name among others, which decides their order where nothing else does. */
export function identifier({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  const version = operation === "Update" ? { apiVersion } : {};
  return JSON.stringify({ manager, operation, ...version, ...(subresource ? { subresource } : {}) });
}
