// The difference of two API values as upstream shows it in an error: a unified diff of their indented JSON.

const contextLines = 3;
/** Lines of both values together, above which the middle is shown as replaced: the cost of comparing is the product of both lengths. */
const maxComparedLines = 4_000;

interface Change {
  /** The index of the first old line that changes, and the number of old lines that are removed. */
  readonly at: number;
  readonly removed: number;
  readonly added: readonly string[];
}

/** Returns the diff of two values as indented JSON; "" if they are equal. */
export function jsonDiff(previous: unknown, next: unknown): string {
  return unifiedDiff(lines(previous), lines(next));
}

/** Returns the diff of two texts. */
export function linesDiff(previous: string, next: string): string {
  return unifiedDiff(previous.split("\n"), next.split("\n"));
}

function unifiedDiff(before: readonly string[], after: readonly string[]): string {
  const text = hunks(changes(before, after))
    .reduce<{ shift: number; lines: string[] }>(
      ({ shift, lines }, hunk) => {
        const { header, body, growth } = printHunk(hunk, before, shift);
        return { shift: shift + growth, lines: [...lines, header, ...body] };
      },
      { shift: 0, lines: [] },
    )
    .lines.join("\n");
  return text && `${text}\n`;
}

function lines(value: unknown): string[] {
  return (JSON.stringify(value, null, 1) ?? "null").split("\n");
}

function changes(before: readonly string[], after: readonly string[]): Change[] {
  const [start, end] = commonEnds(before, after);
  const [left, right] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  if (left.length === 0 && right.length === 0) return [];
  if (left.length + right.length > maxComparedLines) return [{ at: start, removed: left.length, added: right }];
  const table = commonLengths(left, right);
  const width = right.length + 1;
  const changesFound: Change[] = [];
  let [a, b] = [0, 0];
  while (a < left.length || b < right.length) {
    const from = { a, b };
    while (a < left.length || b < right.length) {
      if (a < left.length && b < right.length && left[a] === right[b]) break;
      const dropsLeft = b >= right.length || (table[(a + 1) * width + b] ?? 0) >= (table[a * width + b + 1] ?? 0);
      if (a < left.length && dropsLeft) a += 1;
      else b += 1;
    }
    if (a > from.a || b > from.b) {
      changesFound.push({ at: start + from.a, removed: a - from.a, added: right.slice(from.b, b) });
    }
    while (a < left.length && b < right.length && left[a] === right[b]) [a, b] = [a + 1, b + 1];
  }
  return changesFound;
}

/** Returns how many lines agree at the beginning and at the end. */
function commonEnds(before: readonly string[], after: readonly string[]): [number, number] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return [start, end];
}

/** Computes the length of the longest common subsequence of the rest from each pair of places on. */
function commonLengths(left: readonly string[], right: readonly string[]): Uint16Array {
  const width = right.length + 1;
  const table = new Uint16Array((left.length + 1) * width);
  for (let a = left.length - 1; a >= 0; a--) {
    for (let b = right.length - 1; b >= 0; b--) {
      const below = table[(a + 1) * width + b] ?? 0;
      const beside = table[a * width + b + 1] ?? 0;
      table[a * width + b] = left[a] === right[b] ? (table[(a + 1) * width + b + 1] ?? 0) + 1 : Math.max(below, beside);
    }
  }
  return table;
}

/** Groups changes whose context lines touch. */
function hunks(all: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  let reach = Number.NEGATIVE_INFINITY;
  for (const change of all) {
    const group = groups.at(-1);
    if (group && change.at - reach <= 2 * contextLines) group.push(change);
    else groups.push([change]);
    reach = change.at + change.removed;
  }
  return groups;
}

function printHunk(hunk: readonly Change[], before: readonly string[], shift: number) {
  const [first, last] = [hunk[0], hunk.at(-1)];
  const from = Math.max(0, (first?.at ?? 0) - contextLines);
  const to = Math.min(before.length, (last?.at ?? 0) + (last?.removed ?? 0) + contextLines);
  const body: string[] = [];
  let at = from;
  let growth = 0;
  for (const change of hunk) {
    body.push(...before.slice(at, change.at).map((line) => ` ${line}`));
    at = change.at + change.removed;
    body.push(...before.slice(change.at, at).map((line) => `-${line}`), ...change.added.map((line) => `+${line}`));
    growth += change.added.length - change.removed;
  }
  body.push(...before.slice(at, to).map((line) => ` ${line}`));
  const header = `@@ -${range(from, to - from)} +${range(from + shift, to - from + growth)} @@`;
  return { header, body, growth };
}

function range(from: number, length: number): string {
  return length === 1 ? `${from + 1}` : `${from + 1},${length}`;
}
