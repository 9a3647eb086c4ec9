// The entries of a value in all its maps and lists: what most of the work on an object is proportional to.

/** Counts the entries of a value that was read with a bound of its depth. */
export function countEntries(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += 1 + (typeof item === "object" ? countEntries(item) : 0);
    return count;
  }
  for (const key in value) count += 1 + countEntries((value as Readonly<Record<string, unknown>>)[key]);
  return count;
}
