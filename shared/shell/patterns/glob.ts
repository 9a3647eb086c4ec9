// The patterns of `case`, `${name%pattern}` and file names: `*`, `?` and `[...]`. Work is at most pattern times text, and is counted.
import type { Spend } from "../../base/pattern.ts";
import { type Letters, readLetters } from "./letters.ts";

/** A letter, a set of letters, any letter, or any number of any. */
type Token = number | Letters | "?" | "*";

export type Glob = readonly Token[];

/** Where something was found: from here to there. */
export type Span = readonly [from: number, to: number];

/** Units of one comparison of a letter. */
const comparison = 0.03;
/** Comparisons that the start of a search counts as, beside one for each of the pattern's places. */
const searchStart = 40;
/** Comparisons that are taken at once. */
const portion = 1000;

/** Letters that may be read in vain behind brackets that do not end, beside those of the pattern itself. */
const vainLetters = 1000;

/** Reads a pattern. Past a bound of brackets that do not end, further ones stand for themselves, so that time grows with the length. */
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

/** A pattern in which nothing is special. */
export function escaped(text: string): string {
  return text.replace(/[*?[\]\\]/g, "\\$&");
}

/** The same where a quoted slash does not end the pattern of `${name/from/to}`. */
export function escapedPart(text: string): string {
  return escaped(text).replaceAll("/", "\\/");
}

/** Whether it stands for the whole text. When the work is spent: false. */
export function globMatches(glob: Glob, text: string, spend: Spend): boolean {
  const counter = new Counter(spend);
  let at = 0;
  let token = 0;
  // After a mismatch the last `*` takes one letter more; earlier ones need not be asked again.
  let star = -1;
  let starAt = 0;
  while (at < text.length) {
    if (!counter.one()) return false;
    const letter = text.codePointAt(at) ?? 0;
    const wanted = glob[token];
    if (wanted === "*") {
      star = token++;
      starAt = at;
    } else if (wanted !== undefined && isOne(wanted, letter)) {
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

/** The shortest or longest beginning that it stands for: where it ends. */
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

/** The shortest or longest end that it stands for: where it begins. */
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

/** The same for a pattern without `*`, which stands for as many letters as it has tokens. */
function fixedEnd(glob: Glob, text: string, spend: Spend): number | undefined {
  let start = text.length;
  for (let count = 0; count < glob.length; count++) {
    if (start === 0) return undefined;
    start -= start >= 2 && widthOf(text.codePointAt(start - 2) ?? 0) === 2 ? 2 : 1;
  }
  return globMatches(glob, text.slice(start), spend) ? start : undefined;
}

/** The first and longest part of the text from `from` on that it stands for, and no empty one. */
export function globFind(glob: Glob, text: string, from: number, spend: Spend): Span | undefined {
  let found: Span | undefined;
  const isDone = follow(glob, text, from, {
    keepsFirst: true,
    spend,
    begins: () => found === undefined,
    goesOnAfter: (at, start) => {
      if (at > start && (!found || start <= found[0])) found = [start, at];
      return true;
    },
  });
  return isDone ? found : undefined;
}

interface Search {
  /** Of two ways to the same place the one that began first is kept, or the one that began last. */
  readonly keepsFirst: boolean;
  readonly spend: Spend;
  /** Whether a way may begin behind the first letter. */
  begins(): boolean;
  /** A way that began at `start` has come to the pattern's end. */
  goesOnAfter(at: number, start: number): boolean;
}

/** Follows all ways to read the text at once, a letter at a time. False when the work is spent. */
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
      if (!counter.one()) return false;
      const wanted = glob[token];
      if (wanted === "*") next.add(token, ways.startAt(token));
      else if (wanted !== undefined && isOne(wanted, letter)) next.add(token + 1, ways.startAt(token));
    }
    if (begins) next.add(0, at);
    if (!counter.one()) return false;
    [ways, next] = [next, ways];
  }
  return counter.end();
}

/** The places in a pattern that have been reached, each with where its way began. */
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

  /** -1 where no way has come. */
  startAt(token: number): number {
    return this.#starts[token] ?? -1;
  }

  /** A `*` may stand for nothing. */
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

  one(): boolean {
    return ++this.#count < portion || this.end();
  }

  end(): boolean {
    const units = this.#count * comparison;
    this.#count = 0;
    return this.#spend(units);
  }
}

function isOne(wanted: Token, letter: number): boolean {
  if (typeof wanted === "number") return wanted === letter;
  return wanted === "?" || (wanted !== "*" && wanted.has(letter));
}

function widthOf(letter: number): number {
  return letter > 0xffff ? 2 : 1;
}
