// Tracks field ownership of each write in `metadata.managedFields`.
import { countEntries } from "../../shared/k8s/bounds/entries.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { entriesOf, managersOf } from "../../shared/schema/apply/entries.ts";
import { FieldSet } from "../../shared/schema/apply/field-set.ts";
import { managersAfterWrite } from "../../shared/schema/apply/field-manager.ts";
import type { ManagerIdentity, ManagedFields, Write } from "../../shared/schema/apply/managers.ts";
import type { Convert } from "../../shared/schema/apply/versioned.ts";
import { equalJson } from "../../shared/schema/json-values.ts";
import type { Kind } from "../kinds/kind.ts";
import type { GroupVersionKind } from "./admission.ts";
import type { Actor, Registry, WriteOptions } from "./registry.ts";

interface WrittenObject {
  readonly draft: KubeObject;
  readonly previous: KubeObject | undefined;
  readonly subresource: string;
}

/**
 * The work, in microseconds, of one map or list entry of a written object: defaulting, ownership, validation, and encoding of the response.
 * Custom resources are decoded once more.
 */
const entryWork = { builtIn: 1.2, custom: 2.2 } as const;
/** The number of entries whose work the base cost of a write already covers. */
const includedEntries = 200;
/** The work, in microseconds, of one entry that an apply compares, in the object or in its managed fields. */
const ownedEntryWork = 1.6;

/** Sets the draft's managedFields. Runs before admission and the strategy, so the fields that they set have no manager. */
export function updateManagedFields(
  registry: Registry,
  kind: Kind,
  written: WrittenObject,
  actor: Actor,
  options: WriteOptions,
): void {
  const { draft, previous } = written;
  const count = Math.max(
    0,
    countEntriesWithoutManagedFields(draft) + countEntriesWithoutManagedFields(previous) - includedEntries,
  );
  registry.store.meter.account(count * (kind.custom ? entryWork.custom : entryWork.builtIn));
  const before = previous?.metadata.managedFields;
  const managers = options.managers ?? managersAfter(registry, kind, written, actor);
  const entries = entriesOf(managers, before);
  if (entries.length > 0) draft.metadata.managedFields = entries;
  else delete draft.metadata.managedFields;
}

/** Counts the entries of an object without its managed fields, which most writes only copy. */
function countEntriesWithoutManagedFields(object: KubeObject | undefined): number {
  if (!object) return 0;
  const { managedFields: _, ...metadata } = object.metadata;
  return countEntries({ ...object, metadata });
}

/** Sets the managedFields of a subresource's body, such as a Scale, which has a schema but no `Kind`. */
export function updateManagedFieldsOfBody(
  registry: Registry,
  { schema, apiVersion, kind }: GroupVersionKind,
  draft: KubeObject,
  subresource: string,
  { manager }: Actor,
): void {
  const write: Write = {
    shape: schema.shape,
    live: schema.empty(apiVersion, kind),
    managers: [],
    writer: { manager, operation: "Update", apiVersion, subresource },
    time: rfc3339(registry.clock.nowMs()),
    ignored: FieldSet.empty,
  };
  const entries = entriesOf(managersAfterWrite(write, draft, false), undefined);
  if (entries.length > 0) draft.metadata.managedFields = entries;
}

/** Returns the managers after a write other than an apply. */
export function managersAfter(
  registry: Registry,
  kind: Kind,
  written: WrittenObject,
  actor: Actor,
): readonly ManagedFields[] {
  const write = writeOf(registry, kind, written, { ...identityOf(kind, written, actor), operation: "Update" });
  return managersAfterWrite(write, written.draft, written.previous !== undefined);
}

function identityOf(kind: Kind, { subresource }: WrittenObject, actor: Actor) {
  return { manager: actor.manager, apiVersion: kind.apiVersion, ...(subresource ? { subresource } : {}) };
}

/** Returns the write in the form that the field manager takes. */
export function writeOf(registry: Registry, kind: Kind, written: WrittenObject, writer: ManagerIdentity): Write {
  const { draft, previous, subresource } = written;
  if (writer.operation === "Apply") registry.store.meter.account(ownedEntryWork * countEntries(previous));
  return {
    shape: kind.schema.shape,
    live: previous ?? emptyOf(kind),
    managers: managersOfDraft(draft, previous, subresource).filter(({ apiVersion }) =>
      isServed(registry, kind, apiVersion),
    ),
    writer,
    time: rfc3339(registry.clock.nowMs()),
    ignored: resetFields(kind, subresource),
    ...conversion(registry, kind),
  };
}

/** Returns the conversion between the versions of a kind, by way of the stored version. */
function conversion({ catalogue }: Registry, kind: Kind): { convert?: Convert } {
  const servedVersions = catalogue.versionsOf(kind);
  if (servedVersions.length < 2) return {};
  const versions = new Map(servedVersions.map((version) => [version.apiVersion, version]));
  const convert: Convert = (value, from, to) => {
    const [source, target] = [versions.get(from), versions.get(to)];
    if (!source || !target) return undefined;
    // Decoding gives the canonical form of each kind.
    const object = source.schema.decode(value).object as KubeObject;
    const hub = source.conversion?.toStorage(object) ?? object;
    const converted = target.conversion?.fromStorage(hub) ?? hub;
    return { shape: target.schema.shape, value: target.schema.decode(converted).object };
  };
  return { convert };
}

/** Reports whether a manager's version is served. Managers with other versions are dropped. */
function isServed({ catalogue }: Registry, kind: Kind, apiVersion: string): boolean {
  return catalogue.versionsOf(kind).some((version) => version.apiVersion === apiVersion);
}

/** Returns the managers before the write. A write of the main resource may replace them, or reset them with one empty entry. */
function managersOfDraft(
  draft: KubeObject,
  previous: KubeObject | undefined,
  subresource: string,
): readonly ManagedFields[] {
  const entries = subresource === "" ? draft.metadata.managedFields : undefined;
  if (entries?.length === 1 && entries[0] && Object.keys(entries[0]).length === 0) return [];
  const managers = entries?.length ? managersOf(entries) : undefined;
  return managers ?? managersOf(previous?.metadata.managedFields) ?? [];
}

/** Returns an object of a kind with no fields set. */
export function emptyOf(kind: Kind): unknown {
  return kind.schema.empty(kind.apiVersion, kind.kind);
}

/** Returns the fields that the strategy of an endpoint resets. A write to that endpoint does not own them. */
function resetFields(kind: Kind, subresource: string): FieldSet {
  const hasStatus = subresource === "" && "status" in kind.subresources;
  const defaultPaths = subresource === "status" ? ["spec"] : hasStatus ? ["status"] : [];
  return fieldSetOf((kind.resetFields?.[subresource] ?? defaultPaths).join(" "));
}

const fieldSets = new Map<string, FieldSet>();

function fieldSetOf(paths: string): FieldSet {
  const cached = fieldSets.get(paths);
  if (cached) return cached;
  const set = paths
    .split(" ")
    .filter(Boolean)
    .reduce(
      (union, fieldPath) => union.union(FieldSet.path(fieldPath.split(".").map((name) => `f:${name}`))),
      FieldSet.empty,
    );
  fieldSets.set(paths, set);
  return set;
}

/** Reports whether a write changes at most the timestamps of managed fields. Such a write is not stored. */
export function equalIgnoringManagedFieldsTimestamps(next: KubeObject, previous: KubeObject): boolean {
  return equalJson(withoutTimes(next), withoutTimes(previous));
}

function withoutTimes(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata;
  const timeless = managedFields?.map(({ time: _, ...entry }) => entry) ?? [];
  return { ...object, metadata: { ...metadata, managedFields: timeless } };
}
