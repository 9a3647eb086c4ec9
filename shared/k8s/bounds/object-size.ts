// The largest object that fits into a row, and that one turn can work on.
import { limits } from "../../base/limits.ts";
import { utf8Length } from "../../base/utf8.ts";
import { ApiError } from "../status.ts";

/** Throws 413 for an object, as JSON, that is too large to be stored. */
export function refuseTooLarge(text: string): void {
  // Most objects are small enough to skip the exact count of bytes.
  if (text.length * 3 < limits.objectBytes) return;
  const bytes = utf8Length(text);
  if (bytes <= limits.objectBytes) return;
  throw tooLarge(`limit is ${limits.objectBytes} bytes for one object, this one has ${bytes}`);
}

/**
 * Throws 413 for an object with too many entries: in all its maps and lists together, or in the long ones. A long map or list has more than
 * `limits.longCollectionFrom` entries. A plain list never counts as long, because an item costs a fraction of an entry's work. Managed
 * fields are not counted, because they follow from the other fields. `length` is the number of characters of the object's JSON.
 */
export function refuseTooWide(value: unknown, length: number): void {
  // The shortest entry and its separator are two characters.
  if (length > 2 * limits.entriesInLongCollections) countEntries(value, 0, { all: 0, long: 0 });
}

interface Entries {
  all: number;
  /** Entries in the maps and lists that are long. */
  long: number;
}

function countEntries(value: unknown, depth: number, entries: Entries): void {
  if (typeof value !== "object" || value === null || depth > limits.jsonDepth) return;
  let entryCount = 0;
  for (const key in value) {
    entryCount++;
    if (key !== "managedFields") countEntries((value as Readonly<Record<string, unknown>>)[key], depth + 1, entries);
  }
  entries.all += entryCount;
  if (entryCount > limits.longCollectionFrom && !isPlainList(value)) entries.long += entryCount;
  if (entries.all > limits.entriesPerObject)
    throw tooLarge(`limit is ${limits.entriesPerObject} entries for one object`);
  if (entries.long > limits.entriesInLongCollections) {
    const which = `long maps and lists of one object (of more than ${limits.longCollectionFrom})`;
    throw tooLarge(`limit is ${limits.entriesInLongCollections} entries for the ${which}`);
  }
}

/**
 * Reports whether a value is a plain list: a list whose first item is no map and no list. Kinds declare one type for all items of a list,
 * and `all` bounds the entries of a list that mixes them.
 */
function isPlainList(value: object): boolean {
  return Array.isArray(value) && (typeof value[0] !== "object" || value[0] === null);
}

function tooLarge(why: string): ApiError {
  return new ApiError(413, "RequestEntityTooLarge", `Request entity too large: ${why}`);
}
