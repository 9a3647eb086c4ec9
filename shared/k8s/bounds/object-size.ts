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
 * Throws 413 for an object with too many entries in all its maps and lists, or in its long ones. Long lists of plain values do not count as
 * long, because they cost a fraction of the work. `length` is that of the object as text. Managed fields follow from the other fields, and
 * are not counted.
 */
export function refuseTooWide(value: unknown, length: number): void {
  // The shortest entry and its separator are two characters.
  if (length > 2 * limits.objectLongEntries) count(value, 0, { all: 0, long: 0 });
}

interface Entries {
  all: number;
  /** Entries in the maps and lists that are long. */
  long: number;
}

function count(value: unknown, depth: number, entries: Entries): void {
  if (typeof value !== "object" || value === null || depth > limits.jsonDepth) return;
  let entryCount = 0;
  for (const key in value) {
    entryCount++;
    if (key !== "managedFields") count((value as Readonly<Record<string, unknown>>)[key], depth + 1, entries);
  }
  entries.all += entryCount;
  if (entryCount > limits.longEntries && !isPlainList(value)) entries.long += entryCount;
  if (entries.all > limits.objectEntries) throw tooLarge(`limit is ${limits.objectEntries} entries for one object`);
  if (entries.long > limits.objectLongEntries) {
    const which = `long maps and lists of one object (of more than ${limits.longEntries})`;
    throw tooLarge(`limit is ${limits.objectLongEntries} entries for the ${which}`);
  }
}

/** Reports whether a list has only texts or numbers. Such a list counts as one value. */
function isPlainList(value: object): boolean {
  return Array.isArray(value) && (typeof value[0] !== "object" || value[0] === null);
}

function tooLarge(why: string): ApiError {
  return new ApiError(413, "RequestEntityTooLarge", `Request entity too large: ${why}`);
}
