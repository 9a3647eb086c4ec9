// The edits that make one list of lines another. Each is placed where git places it: see `xdl_change_compact` in upstream's xdiff.
import { placeOf } from "./placing.ts";

/** Lines `[fromStart, fromEnd)` of the old text become lines `[toStart, toEnd)` of the new one. */
export interface Edit {
  readonly fromStart: number;
  readonly fromEnd: number;
  readonly toStart: number;
  readonly toEnd: number;
}

/** The limit of compared pairs of lines. Larger changes are shown as changed altogether. */
const mostCells = 4_000_000;

/** Splits a text into its lines, each with its newline. */
export function splitLines(text: string): string[] {
  const lines = text.split("\n");
  const rest = lines.pop();
  return [...lines.map((line) => `${line}\n`), ...(rest ? [rest] : [])];
}

export function editsOf(from: readonly string[], to: readonly string[]): Edit[] {
  const [isRemoved, isAdded] = changedLines(from, to);
  compact(from, isRemoved, gapsOf(isAdded));
  compact(to, isAdded, gapsOf(isRemoved));
  const edits: Edit[] = [];
  for (let [a, b] = [0, 0]; a < from.length || b < to.length; a++, b++) {
    const [fromStart, toStart] = [a, b];
    while (isRemoved[a]) a++;
    while (isAdded[b]) b++;
    if (a > fromStart || b > toStart) edits.push({ fromStart, fromEnd: a, toStart, toEnd: b });
  }
  return edits;
}

function changedLines(from: readonly string[], to: readonly string[]): [boolean[], boolean[]] {
  let begin = 0;
  while (begin < from.length && begin < to.length && from[begin] === to[begin]) begin++;
  let same = 0;
  while (same < from.length - begin && same < to.length - begin && from.at(-1 - same) === to.at(-1 - same)) same++;
  const isRemoved = from.map((_, at) => at >= begin && at < from.length - same);
  const isAdded = to.map((_, at) => at >= begin && at < to.length - same);
  const [rows, columns] = [from.length - same - begin, to.length - same - begin];
  if (rows * columns > mostCells) return [isRemoved, isAdded];
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  const length = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      lengths[i * width + j] =
        from[begin + i] === to[begin + j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1));
  for (let [i, j] = [0, 0]; i < rows && j < columns; ) {
    if (from[begin + i] === to[begin + j]) {
      isRemoved[begin + i++] = false;
      isAdded[begin + j++] = false;
    } else if (length(i + 1, j) >= length(i, j + 1)) i++;
    else j++;
  }
  return [isRemoved, isAdded];
}

/** Returns the number of changed lines before each unchanged line, and at the end. */
function gapsOf(isChanged: readonly boolean[]): number[] {
  const gaps = [0];
  for (const changed of isChanged) {
    if (changed) gaps[gaps.length - 1] = (gaps.at(-1) ?? 0) + 1;
    else gaps.push(0);
  }
  return gaps;
}

/** Slides each group of changed lines among equal lines to where it reads best. `gaps` are those of the other text. */
function compact(lines: readonly string[], isChanged: boolean[], gaps: readonly number[]): void {
  for (let at = 0, unchanged = 0; at < lines.length; at++) {
    if (!isChanged[at]) {
      unchanged++;
      continue;
    }
    const group = new Group(lines, isChanged, at, unchanged);
    let size: number;
    let firstEnd: number;
    let matchingEnd: number | undefined;
    do {
      size = group.end - group.start;
      matchingEnd = undefined;
      while (group.slideUp());
      firstEnd = group.end;
      if (gaps[group.unchanged]) matchingEnd = group.end;
      while (group.slideDown()) if (gaps[group.unchanged]) matchingEnd = group.end;
    } while (size !== group.end - group.start);
    const best = matchingEnd ?? placeOf(lines, { size, firstEnd, lastEnd: group.end });
    while (group.end > best) group.slideUp();
    at = group.end - 1;
    unchanged = group.unchanged;
  }
}

/** A run of changed lines `[start, end)`, with the number of unchanged lines before it. */
class Group {
  start: number;
  end: number;
  unchanged: number;
  readonly #lines: readonly string[];
  readonly #isChanged: boolean[];

  constructor(lines: readonly string[], isChanged: boolean[], start: number, unchanged: number) {
    this.#lines = lines;
    this.#isChanged = isChanged;
    this.start = start;
    this.unchanged = unchanged;
    this.end = start;
    while (isChanged[this.end]) this.end++;
  }

  slideUp(): boolean {
    if (this.start === 0 || this.#lines[this.start - 1] !== this.#lines[this.end - 1]) return false;
    this.#isChanged[--this.start] = true;
    this.#isChanged[--this.end] = false;
    this.unchanged--;
    while (this.#isChanged[this.start - 1]) this.start--;
    return true;
  }

  slideDown(): boolean {
    if (this.end >= this.#lines.length || this.#lines[this.start] !== this.#lines[this.end]) return false;
    this.#isChanged[this.start++] = false;
    this.#isChanged[this.end++] = true;
    this.unchanged++;
    while (this.#isChanged[this.end]) this.end++;
    return true;
  }
}
