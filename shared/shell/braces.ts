// Brace expansion: `{1..5}` and `{a,b}`. Bash expands a word into several before any other expansion.
import { chargeForBuilding, charge, leaveLevel, enterLevel, type Metered } from "./meter.ts";

/** Units of work for each character of a text with braces, which is scanned several times. */
const letterUnits = 1 / 16;
/** Bytes of a word beside its text. */
const wordBytes = 48;

export function braced(payer: Metered, text: string): string[] {
  if (!text.includes("{")) return [text];
  charge(payer, text.length * letterUnits);
  const expansion = braces(text);
  if (!expansion) return [text];
  const { before, inner, after } = expansion;
  enterLevel(payer);
  const ends = braced(payer, after);
  const count = countOf(inner);
  chargeForBuilding(payer, count * ends.length * (text.length + wordBytes));
  charge(payer, (count * ends.length) / 4);
  const middles = rangeOf(inner) ?? splitAlternatives(inner).flatMap((alternative) => braced(payer, alternative));
  leaveLevel(payer);
  chargeForBuilding(payer, middles.length * ends.length * (text.length + wordBytes));
  return middles.flatMap((middle) => ends.map((end) => before + middle + end));
}

const range = /^(?:(-?\d{1,15})\.\.(-?\d{1,15})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?\d{1,15}))?$/;

function numbersOf(
  inner: string,
): readonly [first: number, last: number, step: number, isLetters: boolean] | undefined {
  const [, from, to, first, last, by = "1"] = range.exec(inner) ?? [];
  const step = Math.max(1, Math.abs(Number(by)));
  if (from !== undefined) return [Number(from), Number(to), step, false];
  if (first === undefined) return undefined;
  return [first.charCodeAt(0), (last ?? "").charCodeAt(0), step, true];
}

function countOf(inner: string): number {
  const numbers = numbersOf(inner);
  if (!numbers) return splitAlternatives(inner).length;
  const [first, last, step] = numbers;
  return Math.floor(Math.abs(last - first) / step) + 1;
}

/** Expands `1..5`, `01..10`, `a..e` or `10..1..3`. The caller has charged for its size. */
function rangeOf(inner: string): string[] | undefined {
  const numbers = numbersOf(inner);
  if (!numbers) return undefined;
  const [first, last, step, isLetters] = numbers;
  const sign = last < first ? -1 : 1;
  const [, from = "", to = ""] = /^(-?\d+)\.\.(-?\d+)/.exec(inner) ?? [];
  const isPadded = /^-?0\d/.test(from) || /^-?0\d/.test(to);
  const width = isPadded ? Math.max(from.length, to.length) : 0;
  return Array.from({ length: countOf(inner) }, (_, at) => {
    const number = first + sign * step * at;
    if (isLetters) return String.fromCharCode(number);
    const digits = String(Math.abs(number)).padStart(width - (number < 0 ? 1 : 0), "0");
    return number < 0 ? `-${digits}` : digits;
  });
}

/** Splits at commas outside nested braces. */
function splitAlternatives(inner: string): string[] {
  const alternatives: string[] = [];
  let [depth, from] = [0, 0];
  for (let at = 0; at < inner.length; at++) {
    const letter = inner.charAt(at);
    if (letter === "{") depth++;
    else if (letter === "}") depth--;
    else if (letter === "," && depth === 0) {
      alternatives.push(inner.slice(from, at));
      from = at + 1;
    }
  }
  return [...alternatives, inner.slice(from)];
}

/** Finds the first braces that expand to several words. */
function braces(text: string): { readonly before: string; readonly inner: string; readonly after: string } | undefined {
  const open: { readonly at: number; hasComma: boolean }[] = [];
  let bounds: readonly [from: number, to: number] | undefined;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    const last = open.at(-1);
    if (letter === "{") open.push({ at, hasComma: false });
    else if (letter === "," && last) last.hasComma = true;
    else if (letter === "}" && last) {
      open.pop();
      const isSeveral = last.hasComma || range.test(text.slice(last.at + 1, at));
      if (isSeveral && (!bounds || last.at < bounds[0])) bounds = [last.at, at];
      // The outermost open brace comes before all others.
      if (bounds && (open[0]?.at ?? text.length) > bounds[0]) break;
    }
  }
  if (!bounds) return undefined;
  const [from, to] = bounds;
  return { before: text.slice(0, from), inner: text.slice(from + 1, to), after: text.slice(to + 1) };
}
