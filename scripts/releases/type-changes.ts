// Compares the types of two releases. Both were read in the same way, so what the reader cannot see is equal on both sides.
import type { ReleaseTable, TypeChanges } from "../../shared/schema/facts/releases/release-table.ts";
import type { GoField, TypeTable } from "./go-types.ts";

/** Reports whether a type belongs to a stable version. Others are not served by default. */
function isStable(name: string): boolean {
  return !/\.v\d+(?:alpha|beta)\d+\.\w+$/.test(name);
}

export function typeChanges(release: TypeTable, newest: TypeTable): ReleaseTable["types"] {
  const changes: Record<string, TypeChanges> = {};
  for (const [name, { fields }] of Object.entries(newest.types)) {
    const before = release.types[name];
    if (!before || !isStable(name)) continue;
    const change = changesOf(byKey(before.fields), byKey(fields));
    if (Object.keys(change).length > 0) changes[name] = change;
  }
  return changes;
}

function byKey(fields: readonly GoField[]): Map<string, GoField> {
  return new Map(fields.map((field) => [field.json ?? field.inline ?? "", field]));
}

function changesOf(before: ReadonlyMap<string, GoField>, after: ReadonlyMap<string, GoField>): TypeChanges {
  const removed = [...after.keys()].filter((key) => !before.has(key));
  const changed: Record<string, Record<string, unknown>> = {};
  for (const [key, field] of before) {
    const differences = differencesOf(field, after.get(key) ?? field);
    if (Object.keys(differences).length > 0) changed[key] = differences;
  }
  const added = [...before.values()].filter((field) => !after.has(field.json ?? field.inline ?? ""));
  return {
    ...(removed.length > 0 ? { removed } : {}),
    ...(Object.keys(changed).length > 0 ? { changed } : {}),
    ...(added.length > 0 ? { added } : {}),
  };
}

function differencesOf(before: GoField, after: GoField): Record<string, unknown> {
  const differences: Record<string, unknown> = {};
  // Both are records of plain values.
  const [old, next] = [before, after] as unknown as [Record<string, unknown>, Record<string, unknown>];
  for (const key of new Set([...Object.keys(old), ...Object.keys(next)])) {
    // A gate that an older release does not mark is that of the newest one.
    if (key === "gate" && old[key] === undefined) continue;
    if (JSON.stringify(old[key]) !== JSON.stringify(next[key])) differences[key] = old[key] ?? null;
  }
  return differences;
}

/** Returns the types that only the release has, as far as changed types refer to them. */
export function addedTypes(
  release: TypeTable,
  newest: TypeTable,
  changes: ReleaseTable["types"],
): ReleaseTable["addedTypes"] {
  const added: Record<string, readonly GoField[]> = {};
  for (const { type } of Object.values(changes).flatMap((change) => change.added ?? [])) {
    if (typeof type !== "string" || newest.types[type]) continue;
    const declared = release.types[type];
    if (declared) added[type] = declared.fields;
  }
  return added;
}

export function enumChanges(release: TypeTable, newest: TypeTable): ReleaseTable["enums"] {
  return Object.fromEntries(
    Object.entries(release.enums).filter(
      ([name, values]) => isStable(name) && newest.enums[name] && String(values) !== String(newest.enums[name]),
    ),
  );
}
