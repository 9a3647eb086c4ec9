// The number of entries in all maps and lists of a value, to which most of the work on an object is proportional.

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

/** Microseconds that one entry takes to be parsed, counted and read by a schema. */
const entryWork = 0.25;

/** Returns the work of reading an object of a user, which grows with its entries. `flat`: the work of an object that has none. */
export function readingWork(object: object, flat: number): number {
  return flat + countEntries(object) * entryWork;
}

/** Reads objects until the budget is overdrawn. Returns undefined if it is: what was read so far is not all. */
export function readWithin<O extends object>(
  objects: Iterable<O>,
  spend: (units: number) => boolean,
  flat: number,
): O[] | undefined {
  const read: O[] = [];
  for (const object of objects) {
    if (!spend(readingWork(object, flat))) return undefined;
    read.push(object);
  }
  return read;
}
