// Reads and writes `metadata.managedFields`.
import { BoundedCache } from "../../base/bounded-cache.ts";
import { limits } from "../../base/limits.ts";
import type { ManagedFieldsEntry } from "../../k8s/api/meta-v1.ts";
import { FieldSet } from "./field-set.ts";
import { isSame, type ManagedFields } from "./managers.ts";

/** Field sets of the entries that were used last. Entries are never changed, and mostly shared. */
const read = new BoundedCache<object, FieldSet>(limits.readFieldSets);

/** Returns the managers. Undefined if the entries are malformed, or if one empty entry requests a reset: then nobody owns anything. */
export function managersOf(entries: readonly ManagedFieldsEntry[] | undefined): ManagedFields[] | undefined {
  const managers: ManagedFields[] = [];
  for (const entry of entries ?? []) {
    const { manager = "", operation, apiVersion = "", subresource, time, fieldsType, fieldsV1 = {} } = entry;
    if (operation !== "Apply" && operation !== "Update") return undefined;
    if (apiVersion === "" || fieldsType !== "FieldsV1") return undefined;
    const fields = fieldsOfEntry(fieldsV1);
    if (!fields) return undefined;
    const owner: ManagedFields = {
      manager,
      operation,
      apiVersion,
      ...(subresource ? { subresource } : {}),
      ...(time ? { time } : {}),
      fields,
    };
    // The last entry of a manager takes precedence.
    const before = managers.findIndex((manager) => isSame(manager, owner));
    if (before >= 0) managers.splice(before, 1);
    managers.push(owner);
  }
  return managers;
}

function fieldsOfEntry(fieldsV1: unknown): FieldSet | undefined {
  if (typeof fieldsV1 !== "object" || fieldsV1 === null) return undefined;
  const cached = read.get(fieldsV1);
  if (cached) return cached;
  const fields = FieldSet.fromJson(fieldsV1);
  if (fields) read.set(fieldsV1, fields);
  return fields;
}

/** Returns the entries in upstream's order. A manager that did not change keeps its entry. */
export function entriesOf(
  managers: readonly ManagedFields[],
  before: readonly ManagedFieldsEntry[] | undefined,
): ManagedFieldsEntry[] {
  const old = (before ?? []).map((entry) => ({ entry, owned: managersOf([entry])?.[0] }));
  return [...managers].sort(inOrder).map((owner) => {
    const same = old.find(
      ({ owned }) => owned && isSame(owned, owner) && owned.time === owner.time && owned.fields.equals(owner.fields),
    );
    if (same && same.entry.apiVersion === owner.apiVersion) return same.entry;
    // A manager with unchanged fields but another time reuses its encoded fields.
    const fieldsV1 = old.find(({ owned }) => owned?.fields.equals(owner.fields))?.entry.fieldsV1;
    return entryOf(owner, fieldsV1);
  });
}

function entryOf(
  { manager, operation, apiVersion, subresource, time, fields }: ManagedFields,
  encoded: unknown,
): ManagedFieldsEntry {
  const fieldsV1 = typeof encoded === "object" && encoded !== null ? encoded : fields.toJson();
  read.set(fieldsV1, fields);
  return {
    ...(manager ? { manager } : {}),
    operation,
    apiVersion,
    ...(time ? { time } : {}),
    fieldsType: "FieldsV1",
    fieldsV1,
    ...(subresource ? { subresource } : {}),
  };
}

/** Compares entries: appliers first, then by time, name, version and subresource. */
function inOrder(a: ManagedFields, b: ManagedFields): number {
  const keys = (entry: ManagedFields) => [
    entry.operation,
    entry.time ?? "",
    entry.manager,
    entry.apiVersion,
    entry.subresource ?? "",
  ];
  const [left, right] = [keys(a), keys(b)];
  for (const [at, text] of left.entries()) {
    const rightText = right[at] ?? "";
    if (text !== rightText) return text < rightText ? -1 : 1;
  }
  return 0;
}
