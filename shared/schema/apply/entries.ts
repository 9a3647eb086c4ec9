// `metadata.managedFields`: owners as entries, read and written.
import type { ManagedFieldsEntry } from "../../k8s/api/meta-v1.ts";
import { FieldSet } from "./field-set.ts";
import { isSame, type Owned } from "./managers.ts";

/** Stored entries are frozen and shared, so what they hold is read once. */
const read = new WeakMap<object, FieldSet>();

/** Undefined where the entries are malformed, or ask for a reset (one empty entry): then nobody owns anything. */
export function ownersOf(entries: readonly ManagedFieldsEntry[] | undefined): Owned[] | undefined {
  const owners: Owned[] = [];
  for (const entry of entries ?? []) {
    const { manager = "", operation, apiVersion = "", subresource, time, fieldsType, fieldsV1 = {} } = entry;
    if (operation !== "Apply" && operation !== "Update") return undefined;
    if (apiVersion === "" || fieldsType !== "FieldsV1") return undefined;
    const fields = fieldsOfEntry(fieldsV1);
    if (!fields) return undefined;
    const owner: Owned = {
      manager,
      operation,
      apiVersion,
      ...(subresource ? { subresource } : {}),
      ...(time ? { time } : {}),
      fields,
    };
    // Of entries of one manager the last counts.
    const before = owners.findIndex((other) => isSame(other, owner));
    if (before >= 0) owners.splice(before, 1);
    owners.push(owner);
  }
  return owners;
}

function fieldsOfEntry(fieldsV1: unknown): FieldSet | undefined {
  if (typeof fieldsV1 !== "object" || fieldsV1 === null) return undefined;
  const known = read.get(fieldsV1);
  if (known) return known;
  const fields = FieldSet.fromJson(fieldsV1);
  if (fields && Object.isFrozen(fieldsV1)) read.set(fieldsV1, fields);
  return fields;
}

/** The entries in upstream's order; an owner that did not change keeps its entry as it is. */
export function entriesOf(
  owners: readonly Owned[],
  before: readonly ManagedFieldsEntry[] | undefined,
): ManagedFieldsEntry[] {
  const old = (before ?? []).map((entry) => ({ entry, owned: ownersOf([entry])?.[0] }));
  return [...owners].sort(inOrder).map((owner) => {
    const same = old.find(
      ({ owned }) => owned && isSame(owned, owner) && owned.time === owner.time && owned.fields.equals(owner.fields),
    );
    return same && same.entry.apiVersion === owner.apiVersion ? same.entry : entryOf(owner);
  });
}

function entryOf({ manager, operation, apiVersion, subresource, time, fields }: Owned): ManagedFieldsEntry {
  return {
    ...(manager ? { manager } : {}),
    operation,
    apiVersion,
    ...(time ? { time } : {}),
    fieldsType: "FieldsV1",
    fieldsV1: fields.toJson(),
    ...(subresource ? { subresource } : {}),
  };
}

/** Appliers first, then by time, name, version and subresource. */
function inOrder(a: Owned, b: Owned): number {
  const keys = (one: Owned) => [one.operation, one.time ?? "", one.manager, one.apiVersion, one.subresource ?? ""];
  const [left, right] = [keys(a), keys(b)];
  for (const [at, text] of left.entries()) {
    const other = right[at] ?? "";
    if (text !== other) return text < other ? -1 : 1;
  }
  return 0;
}
