// Glob patterns of `case`, `${name%pattern}` and file names: `*`, `?` and `[...]`. The work is at most pattern times text, and is charged.
import type { Spend } from "../../base/pattern.ts";
import { type Letters, readLetters } from "./letters.ts";

/** A character, a set of characters, any character (`?`), or any number of characters (`*`). */
type Token = number | Letters | "?" | "*";

export type Glob = readonly Token[];

/** The start and the end of a match. */
export type Span = readonly [from: number, to: number];

/** Units of comparing one character. */
const comparison = 0.03;
/** The fixed cost of a search in comparisons, beside one for each token of the pattern. */
const searchStart = 40;
/** The number of comparisons that are charged at once. */
const portion = 1000;

/** Characters that may be read after unclosed brackets, beside those of the pattern itself. */
const vainLetters = 1000;

/** Parses a pattern. Past a limit of unclosed brackets, further ones are literal, so that the time grows linearly. */
export function globOf(text: string): Glob {
  const tokens: Token[] = [];
  let vain = text.length + vainLetters;
  for (let at = 0; at < text.length; ) {
    const isOpen = text.charAt(at) === "[" && vain > 0;
    const set = isOpen ? readLetters(text, at) : undefined;
    if (isOpen && !set) vain -= text.length - at;
    if (set) {
      tokens.push(set.letters);
      at = set.end;
      continue;
    }
    if (text.charAt(at) === "\\" && at + 1 < text.length) at++;
    else if (text.charAt(at) === "?" || text.charAt(at) === "*") {
      const wild = text.charAt(at++) === "?" ? "?" : "*";
      if (wild === "?" || tokens.at(-1) !== "*") tokens.push(wild);
      continue;
    }
    const letter = text.codePointAt(at) ?? 0;
    tokens.push(letter);
    at += widthOf(letter);
  }
  return tokens;
}

export function hasPattern(text: string): boolean {
  return /[*?[]/.test(text);
}

/** Escapes all special characters of a pattern. */
export function escaped(text: string): string {
  return text.replace(/[*?[\]\\]/g, "\\$&");
}

/** Also escapes slashes, so that a quoted slash does not end the pattern of `${name/from/to}`. */
export function escapedPart(text: string): string {
  return escaped(text).replaceAll("/", "\\/");
}

/** Reports whether a pattern matches the complete text. Returns false if the work is used up. */
export function globMatches(glob: Glob, text: string, spend: Spend): boolean {
  const counter = new Counter(spend);
  let at = 0;
  let token = 0;
  // After a mismatch the last `*` takes one more character. Earlier ones need no retry.
  let star = -1;
  let starAt = 0;
  while (at < text.length) {
    if (!counter.countOne()) return false;
    const letter = text.codePointAt(at) ?? 0;
    const expected = glob[token];
    if (expected === "*") {
      star = token++;
      starAt = at;
    } else if (expected !== undefined && isOne(expected, letter)) {
      token++;
      at += widthOf(letter);
    } else if (star >= 0) {
      starAt += widthOf(text.codePointAt(starAt) ?? 0);
      at = starAt;
      token = star + 1;
    } else break;
  }
  if (glob[token] === "*") token++;
  return counter.end() && at >= text.length && token === glob.length;
}

/** Returns the end of the shortest or longest prefix that matches. */
export function globStart(glob: Glob, text: string, takesLongest: boolean, spend: Spend): number | undefined {
  let end: number | undefined;
  const isDone = follow(glob, text, 0, {
    keepsFirst: true,
    spend,
    begins: () => false,
    goesOnAfter: (at) => {
      end = at;
      return takesLongest;
    },
  });
  return isDone ? end : undefined;
}

/** Returns the start of the shortest or longest suffix that matches. */
export function globEnd(glob: Glob, text: string, takesLongest: boolean, spend: Spend): number | undefined {
  if (!glob.includes("*")) return fixedEnd(glob, text, spend);
  let start: number | undefined;
  const isDone = follow(glob, text, 0, {
    keepsFirst: takesLongest,
    spend,
    begins: () => true,
    goesOnAfter: (at, from) => {
      if (at === text.length) start = from;
      return true;
    },
  });
  return isDone ? start : undefined;
}

/** Returns the same for a pattern without `*`, which matches as many characters as it has tokens. */
function fixedEnd(glob: Glob, text: string, spend: Spend): number | undefined {
  let start = text.length;
  for (let count = 0; count < glob.length; count++) {
    if (start === 0) return undefined;
    start -= start >= 2 && widthOf(text.codePointAt(start - 2) ?? 0) === 2 ? 2 : 1;
  }
  return globMatches(glob, text.slice(start), spend) ? start : undefined;
}

/** Returns the first, longest and non-empty match from a position on. */
export function globFind(glob: Glob, text: string, from: number, spend: Spend): Span | undefined {
  let match: Span | undefined;
  const isDone = follow(glob, text, from, {
    keepsFirst: true,
    spend,
    begins: () => match === undefined,
    goesOnAfter: (at, start) => {
      if (at > start && (!match || start <= match[0])) match = [start, at];
      return true;
    },
  });
  return isDone ? match : undefined;
}

interface Search {
  /** Whether of two paths to the same token the one with the earlier start is kept, rather than the later. */
  readonly keepsFirst: boolean;
  readonly spend: Spend;
  /** Reports whether a match may start after the first character. */
  begins(): boolean;
  /** Called when a match that started at `start` is complete. Returns whether to go on. */
  goesOnAfter(at: number, start: number): boolean;
}

/** Follows all partial matches in parallel, a character at a time. Returns false if the work is used up. */
function follow(glob: Glob, text: string, from: number, search: Search): boolean {
  const counter = new Counter(search.spend);
  counter.add(searchStart + glob.length);
  let ways = new Ways(glob, search.keepsFirst);
  let next = new Ways(glob, search.keepsFirst);
  ways.add(0, from);
  for (let at = from; ; ) {
    const start = ways.startAt(glob.length);
    if (start >= 0 && !search.goesOnAfter(at, start)) break;
    const begins = search.begins();
    if (at >= text.length || (ways.tokens.length === 0 && !begins)) break;
    const letter = text.codePointAt(at) ?? 0;
    at += widthOf(letter);
    next.clear();
    for (const token of ways.tokens) {
      if (!counter.countOne()) return false;
      const expected = glob[token];
      if (expected === "*") next.add(token, ways.startAt(token));
      else if (expected !== undefined && isOne(expected, letter)) next.add(token + 1, ways.startAt(token));
    }
    if (begins) next.add(0, at);
    if (!counter.countOne()) return false;
    [ways, next] = [next, ways];
  }
  return counter.end();
}

/** The tokens that partial matches have reached, each with the start of its match. */
class Ways {
  readonly tokens: number[] = [];
  readonly #glob: Glob;
  readonly #keepsFirst: boolean;
  readonly #starts: Int32Array;

  constructor(glob: Glob, keepsFirst: boolean) {
    this.#glob = glob;
    this.#keepsFirst = keepsFirst;
    this.#starts = new Int32Array(glob.length + 1).fill(-1);
  }

  clear(): void {
    for (const token of this.tokens) this.#starts[token] = -1;
    this.tokens.length = 0;
  }

  /** Returns the start of the match; -1 if none has reached the token. */
  startAt(token: number): number {
    return this.#starts[token] ?? -1;
  }

  /** Adds a token, and the tokens after a `*`, which may match nothing. */
  add(token: number, start: number): void {
    const before = this.startAt(token);
    if (before < 0) this.tokens.push(token);
    if (before < 0 || (this.#keepsFirst ? start < before : start > before)) this.#starts[token] = start;
    if (this.#glob[token] === "*") this.add(token + 1, start);
  }
}

class Counter {
  readonly #spend: Spend;
  #count = 0;

  constructor(spend: Spend) {
    this.#spend = spend;
  }

  add(count: number): void {
    this.#count += count;
  }

  countOne(): boolean {
    return ++this.#count < portion || this.end();
  }

  end(): boolean {
    const units = this.#count * comparison;
    this.#count = 0;
    return this.#spend(units);
  }
}

function isOne(expected: Token, letter: number): boolean {
  if (typeof expected === "number") return expected === letter;
  return expected === "?" || (expected !== "*" && expected.has(letter));
}

function widthOf(letter: number): number {
  return letter > 0xffff ? 2 : 1;
}
