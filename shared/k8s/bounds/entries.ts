// The number of entries in all maps and lists of a value, to which most of the work on an object is proportional.

/** Counts the entries of a value. The recursion is safe only because parsers limit the depth of what they read. */
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

/** Returns the work of reading an object of a user, which grows with its entries. `fixedWork`: the work of an object without entries. */
export function readingWork(object: object, fixedWork: number): number {
  return fixedWork + countEntries(object) * entryWork;
}

/** Takes objects, and charges for reading each. Returns all of them, or undefined if the budget does not suffice for all. */
export function takeWithinBudget<O extends object>(
  objects: Iterable<O>,
  spend: (micros: number) => boolean,
  fixedWork: number,
): O[] | undefined {
  const read: O[] = [];
  for (const object of objects) {
    if (!spend(readingWork(object, fixedWork))) return undefined;
    read.push(object);
  }
  return read;
}
