// The characters of a text, which JavaScript counts in units of two bytes.
import { charge, type Metered } from "./meter.ts";

/** Microseconds of looking at one unit of a text. */
const unitWork = 0.004;

/** Pays for counting the characters of a text, and counts them. */
export function countCharacters(payer: Metered, text: string): number {
  charge(payer, text.length * unitWork);
  let count = text.length;
  for (let at = 0; at < text.length; at++) if ((text.codePointAt(at) ?? 0) > 0xffff) count--;
  return count;
}
