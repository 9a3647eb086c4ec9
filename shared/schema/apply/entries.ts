// `metadata.managedFields`: managers as entries, read and written.
import { Generations } from "../../base/generations.ts";
import { limits } from "../../base/limits.ts";
import type { ManagedFieldsEntry } from "../../k8s/api/meta-v1.ts";
import { FieldSet } from "./field-set.ts";
import { isSame, type ManagedFields } from "./managers.ts";

/** What an entry holds is never changed, and is mostly shared: what was read of those used last. */
const read = new Generations<object, FieldSet>(limits.readFieldSets);

/** Undefined where the entries are malformed, or ask for a reset (one empty entry): then nobody owns anything. */
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
    // Of entries of one manager the last counts.
    const before = managers.findIndex((other) => isSame(other, owner));
    if (before >= 0) managers.splice(before, 1);
    managers.push(owner);
  }
  return managers;
}

function fieldsOfEntry(fieldsV1: unknown): FieldSet | undefined {
  if (typeof fieldsV1 !== "object" || fieldsV1 === null) return undefined;
  const known = read.get(fieldsV1);
  if (known) return known;
  const fields = FieldSet.fromJson(fieldsV1);
  if (fields) read.set(fieldsV1, fields);
  return fields;
}

/** The entries in upstream's order; an owner that did not change keeps its entry as it is. */
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
    // Who owns the same fields as before, at another time, has them written as they are.
    const fieldsV1 = old.find(({ owned }) => owned?.fields.equals(owner.fields))?.entry.fieldsV1;
    return entryOf(owner, fieldsV1);
  });
}

function entryOf(
  { manager, operation, apiVersion, subresource, time, fields }: ManagedFields,
  known: unknown,
): ManagedFieldsEntry {
  const fieldsV1 = typeof known === "object" && known !== null ? known : fields.toJson();
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

/** Appliers first, then by time, name, version and subresource. */
function inOrder(a: ManagedFields, b: ManagedFields): number {
  const keys = (one: ManagedFields) => [
    one.operation,
    one.time ?? "",
    one.manager,
    one.apiVersion,
    one.subresource ?? "",
  ];
  const [left, right] = [keys(a), keys(b)];
  for (const [at, text] of left.entries()) {
    const other = right[at] ?? "";
    if (text !== other) return text < other ? -1 : 1;
  }
  return 0;
}
