// How large an object may be: no row can hold more, and no turn can work on more.
import { limits } from "../../base/limits.ts";
import { utf8Length } from "../../base/utf8.ts";
import { ApiError } from "../status.ts";

/** Throws 413 for an object, as JSON, that is too large to be stored. */
export function refuseTooLarge(text: string): void {
  // Cheap for the many: only what has a chance to be too large is measured.
  if (text.length * 3 < limits.objectBytes) return;
  const bytes = utf8Length(text);
  if (bytes <= limits.objectBytes) return;
  throw tooLarge(`limit is ${limits.objectBytes} bytes for one object, this one has ${bytes}`);
}

/**
 * Throws 413 for an object of too many entries in all its maps and lists, or in its long ones but plain lists, which cost several times as much;
 * `length` is that of the object as text. Managed fields follow from the others, and are not counted.
 */
export function refuseTooWide(value: unknown, length: number): void {
  // The shortest entry and what parts it from the next are two characters.
  if (length > 2 * limits.objectLongEntries) count(value, 0, { all: 0, long: 0 });
}

interface Entries {
  all: number;
  /** Of the maps and lists that are long. */
  long: number;
}

function count(value: unknown, depth: number, entries: Entries): void {
  if (typeof value !== "object" || value === null || depth > limits.jsonDepth) return;
  let own = 0;
  for (const key in value) {
    own++;
    if (key !== "managedFields") count((value as Readonly<Record<string, unknown>>)[key], depth + 1, entries);
  }
  entries.all += own;
  if (own > limits.longEntries && !isPlainList(value)) entries.long += own;
  if (entries.all > limits.objectEntries) throw tooLarge(`limit is ${limits.objectEntries} entries for one object`);
  if (entries.long > limits.objectLongEntries) {
    const which = `long maps and lists of one object (of more than ${limits.longEntries})`;
    throw tooLarge(`limit is ${limits.objectLongEntries} entries for the ${which}`);
  }
}

/** A list of texts or numbers is a value, whatever its length. */
function isPlainList(value: object): boolean {
  return Array.isArray(value) && (typeof value[0] !== "object" || value[0] === null);
}

function tooLarge(why: string): ApiError {
  return new ApiError(413, "RequestEntityTooLarge", `Request entity too large: ${why}`);
}
