// Parses lists of indexes: `1,3-5,7`.

/** Counts the indexes, or returns the error. */
export function countIndexes(text: string, completions: number): { readonly total: number; readonly error?: string } {
  let total = 0;
  let last: number | undefined;
  for (const intervalText of text === "" ? [] : text.split(",")) {
    const interval = parseInterval(intervalText, completions);
    if (typeof interval === "string") return { total: 0, error: interval };
    const [first, end] = interval;
    if (last !== undefined && last >= first) {
      return { total: 0, error: `non-increasing order, previous: ${last}, current: ${first}` };
    }
    total += end - first + 1;
    last = end;
  }
  return { total };
}

/** Returns the first index in both lists. Malformed intervals are ignored. */
export function overlap(left: string, right: string, completions: number): number | undefined {
  const lists = [left, right].map((text) => intervals(text, completions));
  const [completed = [], failed = []] = lists;
  for (let [at, rightAt] = [0, 0]; ; ) {
    const [mine, theirs] = [completed[at], failed[rightAt]];
    if (!mine || !theirs) return undefined;
    if (mine[0] <= theirs[1] && theirs[0] <= mine[1]) return Math.max(mine[0], theirs[0]);
    if (mine[0] <= theirs[0]) at += 1;
    else rightAt += 1;
  }
}

type Interval = readonly [number, number];

function intervals(text: string, completions: number): Interval[] {
  const intervalTexts = text === "" ? [] : text.split(",");
  return intervalTexts
    .map((intervalText) => parseInterval(intervalText, completions))
    .filter((interval): interval is Interval => typeof interval !== "string");
}

/** Parses an interval, or returns the error. */
function parseInterval(text: string, completions: number): Interval | string {
  const bounds = text.split("-");
  if (bounds.length > 2) {
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const numbers: number[] = [];
  for (const bound of bounds) {
    if (!/^\+?[0-9]+$/.test(bound)) return `cannot convert string to integer for index: ${JSON.stringify(bound)}`;
    if (Number(bound) >= completions) return `too large index: ${JSON.stringify(bound)}`;
    numbers.push(Number(bound));
  }
  const [first = 0, last = first] = numbers;
  if (numbers.length === 2 && first >= last) return `non-increasing order, previous: ${first}, current: ${last}`;
  return [first, last];
}
