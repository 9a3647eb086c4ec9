// Counts the characters of a text, which JavaScript counts in UTF-16 units.
import { charge, type Metered } from "./meter.ts";

/** Microseconds of reading one unit of a text. */
const unitWork = 0.004;

/** Counts the characters of a text, and charges for it. */
export function countCharacters(payer: Metered, text: string): number {
  charge(payer, text.length * unitWork);
  let count = text.length;
  for (let at = 0; at < text.length; at++) if ((text.codePointAt(at) ?? 0) > 0xffff) count--;
  return count;
}
