// Names of field managers: their validation, and the default that upstream derives from a client's user agent.
import { utf8Length } from "../base/utf8.ts";
import { type FieldError, type FieldPath, invalid, tooLong } from "./field.ts";

const longest = 128;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

export function validateFieldManager(manager: string, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (bytesOf(manager) > longest) errors.push(tooLong(at, longest));
  let position = 0;
  for (const character of manager) {
    if (!printable.test(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      errors.push(invalid(at, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += bytesOf(character);
  }
  return errors;
}

/** Returns the printable beginning of a user agent before its first slash, cut to the length that a manager's name may have. */
export function managerOfAgent(agent: string): string {
  let manager = "";
  for (const character of agent.split("/")[0] ?? "") {
    if (!printable.test(character)) continue;
    if (bytesOf(manager) + bytesOf(character) > longest) break;
    manager += character;
  }
  return manager || "unknown";
}

function bytesOf(text: string): number {
  return utf8Length(text);
}
