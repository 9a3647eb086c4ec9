// Field ownership of each write: who set which field last, in `metadata.managedFields`.
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

interface Written {
  readonly draft: KubeObject;
  readonly previous: KubeObject | undefined;
  readonly subresource: string;
}

/**
 * Work of an entry of an object that is written: to default, own and validate it, and to encode it for the answer. Custom resources are
 * decoded once more. The first entries are in the work of a write itself.
 */
const entryWork = { builtIn: 1.2, custom: 2.2 } as const;
const includedEntries = 200;
/** Work of an entry of an object, or of its managed fields, that an apply compares with the others. */
const ownedEntryWork = 1.6;

/** Sets the draft's managedFields. Runs before admission and the strategy: what they fill in is nobody's. */
export function updateManagedFields(
  registry: Registry,
  kind: Kind,
  written: Written,
  actor: Actor,
  options: WriteOptions,
): void {
  const { draft, previous } = written;
  const count = Math.max(0, unownedEntries(draft) + unownedEntries(previous) - includedEntries);
  registry.store.meter.account(count * (kind.custom ? entryWork.custom : entryWork.builtIn));
  const before = previous?.metadata.managedFields;
  const managers = options.managers ?? managersAfter(registry, kind, written, actor);
  const entries = entriesOf(managers, before);
  if (entries.length > 0) draft.metadata.managedFields = entries;
  else delete draft.metadata.managedFields;
}

/** Counts the entries but those of managed fields, which most writes only hand on. */
function unownedEntries(object: KubeObject | undefined): number {
  if (!object) return 0;
  const { managedFields: _, ...metadata } = object.metadata;
  return countEntries({ ...object, metadata });
}

/** The same for what is posted to a subresource and of no kind. */
export function updateManagedFieldsOf(
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

/** The managers after an ordinary write. */
export function managersAfter(
  registry: Registry,
  kind: Kind,
  written: Written,
  actor: Actor,
): readonly ManagedFields[] {
  const write = writeOf(registry, kind, written, { ...identityOf(kind, written, actor), operation: "Update" });
  return managersAfterWrite(write, written.draft, written.previous !== undefined);
}

function identityOf(kind: Kind, { subresource }: Written, actor: Actor) {
  return { manager: actor.manager, apiVersion: kind.apiVersion, ...(subresource ? { subresource } : {}) };
}

/** A write, as the field manager takes it. */
export function writeOf(registry: Registry, kind: Kind, written: Written, writer: ManagerIdentity): Write {
  const { draft, previous, subresource } = written;
  if (writer.operation === "Apply") registry.store.meter.account(ownedEntryWork * countEntries(previous));
  return {
    shape: kind.schema.shape,
    live: previous ?? emptyOf(kind),
    managers: givenManagers(draft, previous, subresource).filter(({ apiVersion }) =>
      isServed(registry, kind, apiVersion),
    ),
    writer,
    time: rfc3339(registry.clock.nowMs()),
    ignored: resetFields(kind, subresource),
    ...conversion(registry, kind),
  };
}

/** Of a kind with several versions: between any two of them by way of the stored one. */
function conversion({ catalogue }: Registry, kind: Kind): { convert?: Convert } {
  const all = catalogue.versionsOf(kind);
  if (all.length < 2) return {};
  const versions = new Map(all.map((one) => [one.apiVersion, one]));
  const convert: Convert = (value, from, to) => {
    const [source, target] = [versions.get(from), versions.get(to)];
    if (!source || !target) return undefined;
    // Decoded, each is the canonical form of its kind.
    const object = source.schema.decode(value).object as KubeObject;
    const hub = source.conversion?.toStorage(object) ?? object;
    const converted = target.conversion?.fromStorage(hub) ?? hub;
    return { shape: target.schema.shape, value: target.schema.decode(converted).object };
  };
  return { convert };
}

/** A manager whose fields are of a version that is not served, any more or at all, is dropped. */
function isServed({ catalogue }: Registry, kind: Kind, apiVersion: string): boolean {
  return catalogue.versionsOf(kind).some((one) => one.apiVersion === apiVersion);
}

/** A writer of the object itself may set the entries, or reset them with one that is empty. */
function givenManagers(
  draft: KubeObject,
  previous: KubeObject | undefined,
  subresource: string,
): readonly ManagedFields[] {
  const given = subresource === "" ? draft.metadata.managedFields : undefined;
  if (given?.length === 1 && given[0] && Object.keys(given[0]).length === 0) return [];
  const managers = given?.length ? managersOf(given) : undefined;
  return managers ?? managersOf(previous?.metadata.managedFields) ?? [];
}

/** The object of a kind before anything was set. */
export function emptyOf(kind: Kind): unknown {
  return kind.schema.empty(kind.apiVersion, kind.kind);
}

/** What the strategy of an endpoint puts back: nobody comes to own it by writing there. */
function resetFields(kind: Kind, subresource: string): FieldSet {
  const hasStatus = subresource === "" && "status" in kind.subresources;
  const usual = subresource === "status" ? ["spec"] : hasStatus ? ["status"] : [];
  return setOf((kind.resetFields?.[subresource] ?? usual).join(" "));
}

const sets = new Map<string, FieldSet>();

function setOf(paths: string): FieldSet {
  const known = sets.get(paths);
  if (known) return known;
  const set = paths
    .split(" ")
    .filter(Boolean)
    .reduce((all, one) => all.union(FieldSet.path(one.split(".").map((name) => `f:${name}`))), FieldSet.empty);
  sets.set(paths, set);
  return set;
}

/** A write that changes no more than the times of managed fields is none. */
export function equalIgnoringManagedFieldsTimestamps(next: KubeObject, previous: KubeObject): boolean {
  return equalJson(withoutTimes(next), withoutTimes(previous));
}

function withoutTimes(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata;
  const timeless = managedFields?.map(({ time: _, ...entry }) => entry) ?? [];
  return { ...object, metadata: { ...metadata, managedFields: timeless } };
}
