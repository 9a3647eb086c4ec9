// Character sets of globs and regular expressions: `[a-z_]`, `[!0-9]`, `[[:alpha:]]`.

export interface Letters {
  readonly isNegated: boolean;
  /** First and last character of each range, both included. */
  readonly ranges: readonly (readonly [number, number])[];
  has(letter: number): boolean;
}

/** POSIX classes in the C locale. */
const named: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  alnum: [
    ["0", "9"],
    ["A", "Z"],
    ["a", "z"],
  ],
  alpha: [
    ["A", "Z"],
    ["a", "z"],
  ],
  blank: [
    ["\t", "\t"],
    [" ", " "],
  ],
  cntrl: [
    ["\0", "\x1f"],
    ["\x7f", "\x7f"],
  ],
  digit: [["0", "9"]],
  graph: [["!", "~"]],
  lower: [["a", "z"]],
  print: [[" ", "~"]],
  punct: [
    ["!", "/"],
    [":", "@"],
    ["[", "`"],
    ["{", "~"],
  ],
  space: [
    ["\t", "\r"],
    [" ", " "],
  ],
  upper: [["A", "Z"]],
  word: [
    ["0", "9"],
    ["A", "Z"],
    ["_", "_"],
    ["a", "z"],
  ],
  xdigit: [
    ["0", "9"],
    ["A", "F"],
    ["a", "f"],
  ],
};

/** The form of a set. `negates`: the characters that negate it after the bracket. `escapes`: whether a backslash quotes. */
interface Form {
  readonly escapes: boolean;
  readonly negates: string;
}

const inGlobs: Form = { escapes: true, negates: "!^" };

/** Reads the set whose bracket opens at `from`. Undefined if it is not closed, or names an unknown class. */
export function readLetters(
  text: string,
  from: number,
  { escapes, negates }: Form = inGlobs,
): { readonly letters: Letters; readonly end: number } | undefined {
  let at = from + 1;
  const isNegated = at < text.length && negates.includes(text.charAt(at));
  if (isNegated) at++;
  const ranges: (readonly [number, number])[] = [];
  const readCharacter = (): number => {
    if (escapes && text.charAt(at) === "\\" && at + 1 < text.length) at++;
    const letter = text.codePointAt(at) ?? 0;
    at += letter > 0xffff ? 2 : 1;
    return letter;
  };
  for (let isFirst = true; at < text.length; isFirst = false) {
    if (text.charAt(at) === "]" && !isFirst) return { letters: setOf(isNegated, ranges), end: at + 1 };
    const name = text.startsWith("[:", at) ? nameAt(text, at) : undefined;
    if (name !== undefined) {
      const classRanges = Object.hasOwn(named, name) ? named[name] : undefined;
      if (!classRanges) return undefined;
      ranges.push(...classRanges.map(([a, b]) => [a.charCodeAt(0), b.charCodeAt(0)] as const));
      at += name.length + 4;
      continue;
    }
    const first = readCharacter();
    const isRange = text.charAt(at) === "-" && at + 1 < text.length && text.charAt(at + 1) !== "]";
    if (isRange) at++;
    const last = isRange ? readCharacter() : first;
    ranges.push([first, last]);
  }
  return undefined;
}

const longestName = 6;

function nameAt(text: string, at: number): string | undefined {
  const end = text.slice(at + 2, at + 4 + longestName).indexOf(":]");
  return end < 0 ? undefined : text.slice(at + 2, at + 2 + end);
}

/** Ranges up to this number are tried one after the other. */
const fewRanges = 8;

function setOf(isNegated: boolean, ranges: Letters["ranges"]): Letters {
  if (ranges.length <= fewRanges)
    return {
      isNegated,
      ranges,
      has: (letter) => ranges.some(([from, to]) => letter >= from && letter <= to) !== isNegated,
    };
  const sorted = mergedRanges(ranges);
  return { isNegated, ranges, has: (letter) => isInside(sorted, letter) !== isNegated };
}

/** Sorts the ranges and joins those that touch. */
function mergedRanges(ranges: Letters["ranges"]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (from > to) continue;
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** Searches the sorted ranges by halves, so that a long set costs hardly more than a short one. */
function isInside(sorted: readonly (readonly [number, number])[], letter: number): boolean {
  let [low, high] = [0, sorted.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [from, to] = sorted[middle] ?? [0, 0];
    if (letter < from) high = middle - 1;
    else if (letter > to) low = middle + 1;
    else return true;
  }
  return false;
}
