// The owners of fields, and how a write changes them (upstream: structured-merge-diff's Updater and the field manager).
import { type Comparison, compare, equal } from "./compare.ts";
import { createdFields } from "./created-fields.ts";
import { fieldsOf } from "./fields-of.ts";
import { FieldSet } from "./field-set.ts";
import { merge } from "./merge.ts";
import { claimsWholes, prune } from "./prune.ts";
import type { Shape } from "./shape.ts";
import { type Convert, Versioned } from "./versioned.ts";

/** The fields that distinguish managers. */
export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  /** The version in which the manager wrote. An applier keeps its entry when it changes the version. */
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
  /** Fields that this endpoint resets: no write makes anyone own them. */
  readonly ignored: FieldSet;
  /** Converts between versions. Undefined if the kind has one version, to which all managers then belong. */
  readonly convert?: Convert;
}

/** Fields that nobody owns: upstream's stripMeta. */
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
/** The number of updaters above which upstream merges the oldest ones. */
const maxUpdaters = 10;
const foldedManager = "ancient-changes";

/** Returns the managers after an ordinary write. The writer owns what it set, and the previous owners lose it. */
export function managersAfterUpdate(write: Write, next: unknown): ManagedFields[] {
  const { managers, writer, time } = write;
  const changes = changesOf(write, next);
  const ownManager = managers.find((owner) => isSame(owner, writer));
  const otherManagers = left(
    managers.filter((owner) => owner !== ownManager),
    changes,
  );
  const { added, modified, removed } = changes(writer.apiVersion) ?? none;
  const set = added.union(modified);
  // A writer that set nothing keeps its time.
  if (set.isEmpty)
    return tidy([
      ...otherManagers,
      ...(ownManager ? [{ ...ownManager, fields: ownManager.fields.difference(removed) }] : []),
    ]);
  const mine = ownManager ? withFields(ownManager.fields.difference(removed), set) : set;
  return foldOld(tidy([...otherManagers, { ...writer, time, fields: mine }]));
}

/** Returns the managers of a new object, which has had none. */
export function managersAfterCreation(write: Write, created: unknown): ManagedFields[] {
  const { writer, time } = write;
  const fields = createdFields(write, created, () => {
    const { added, modified } = changesOf(write, created)(writer.apiVersion) ?? none;
    return added.union(modified);
  });
  return tidy([{ ...writer, time, fields }]);
}

/** Returns the union, or the same set if it has all added fields. */
function withFields(fields: FieldSet, added: FieldSet): FieldSet {
  return added.difference(fields).isEmpty ? fields : fields.union(added);
}

export type Applied =
  | { readonly object: unknown; readonly managers: ManagedFields[] }
  | { readonly conflicts: readonly Conflict[] };

/** Applies a configuration. Returns the new object, or the conflicts. */
export function apply(write: Write, config: unknown, force: boolean): Applied {
  const { shape, live, writer, time, ignored } = write;
  const claimed = fieldsOf(shape, config).without(ignored);
  const last = write.managers.find((owner) => isSame(owner, writer));
  const otherManagers = write.managers.filter((owner) => owner !== last);
  const merged = new Versioned(shape, writer.apiVersion, merge(shape, live, config), write.convert);
  const mine = { ...writer, fields: claimed };
  const object = (
    last && !isStill(write, last, claimed, config) ? prune(merged, last, [mine, ...otherManagers]) : merged
  ).value;
  const changes = changesOf(write, object);
  const conflicts = otherManagers.flatMap((owner) => conflictsWith(owner, changes(owner.apiVersion)));
  if (conflicts.length > 0 && !force) return { conflicts };
  // An apply that changes nothing does not set the time. A manager that only joins has no time then.
  const at = equal(live, object) ? last?.time : time;
  const applier: ManagedFields = { ...mine, ...(at ? { time: at } : {}), fields: withoutServerFields(claimed) };
  return { object, managers: tidy([...left(otherManagers, changes), applier]) };
}

/** Reports whether everything that was claimed before is claimed in the same way, so that nothing is given up. */
function isStill({ shape, writer }: Write, last: ManagedFields, claimed: FieldSet, config: unknown): boolean {
  if (last.apiVersion !== writer.apiVersion || claimsWholes(shape, config)) return false;
  return last.fields.difference(claimed).isEmpty;
}

const none: Comparison = { added: FieldSet.empty, modified: FieldSet.empty, removed: FieldSet.empty };

/** Returns the changes of a write in each version. Undefined for an unknown version. */
function changesOf({ shape, live, writer, ignored, convert }: Write, next: unknown) {
  const before = new Versioned(shape, writer.apiVersion, live, convert);
  const after = before.with(next);
  const comparisons = new Map<string, Comparison | undefined>();
  return (apiVersion: string): Comparison | undefined => {
    if (!comparisons.has(apiVersion))
      comparisons.set(apiVersion, compared(before.as(apiVersion), after.as(apiVersion), ignored));
    return comparisons.get(apiVersion);
  };
}

function compared(before: Versioned | undefined, after: Versioned | undefined, ignored: FieldSet) {
  return before && after && filtered(compare(before.shape, before.value, after.value), ignored);
}

/** Removes changed fields from managers. Managers of versions that no longer exist are dropped. */
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

/** Merges the oldest updaters past the limit, into one for each version. */
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

/** Returns the manager's identifier, which decides the order of managers that are otherwise equal. */
export function identifier({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  const version = operation === "Update" ? { apiVersion } : {};
  return JSON.stringify({ manager, operation, ...version, ...(subresource ? { subresource } : {}) });
}
