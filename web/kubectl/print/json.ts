// JSON as Go writes it: four spaces, keys in order, and the characters that HTML knows escaped.
import { sortedCopy } from "../../../shared/schema/sorted-json.ts";

/** What the server sent, which kubectl holds in maps. */
export function goJson(value: unknown): string {
  return `${indented(sortedCopy(value))}\n`;
}

/** In the order that the value has. */
export function indented(value: unknown): string {
  return escapeHtml(JSON.stringify(value, null, 4));
}

/** On one line. */
export function compactJson(value: unknown): string {
  return escapeHtml(JSON.stringify(sortedCopy(value)));
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[<>&\u2028\u2029]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
