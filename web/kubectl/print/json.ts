// JSON as Go writes it: four spaces, sorted keys, and escaped HTML characters.
import { sortedCopy } from "../../../shared/schema/sorted-json.ts";

/** Formats an object of the server, with sorted keys because kubectl holds it in maps. */
export function goJson(value: unknown): string {
  return `${indented(sortedCopy(value))}\n`;
}

/** Formats a value in its own order of keys. */
export function indented(value: unknown): string {
  return escapeHtml(JSON.stringify(value, null, 4));
}

/** Formats a value on one line. */
export function compactJson(value: unknown): string {
  return escapeHtml(JSON.stringify(sortedCopy(value)));
}

export function escapeHtml(text: string): string {
  return text.replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
