// Lists of indexes as jobs write them: `1,3-5,7`.

/** How many there are, or what is wrong. */
export function countIndexes(text: string, completions: number): { readonly total: number; readonly error?: string } {
  let total = 0;
  let last: number | undefined;
  for (const part of text === "" ? [] : text.split(",")) {
    const interval = parseInterval(part, completions);
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

/** The first index that both lists have; malformed intervals are passed over. */
export function overlap(left: string, right: string, completions: number): number | undefined {
  const lists = [left, right].map((text) => intervals(text, completions));
  const [completed = [], failed = []] = lists;
  for (let [at, other] = [0, 0]; ; ) {
    const [mine, theirs] = [completed[at], failed[other]];
    if (!mine || !theirs) return undefined;
    if (mine[0] <= theirs[1] && theirs[0] <= mine[1]) return Math.max(mine[0], theirs[0]);
    if (mine[0] <= theirs[0]) at += 1;
    else other += 1;
  }
}

type Interval = readonly [number, number];

function intervals(text: string, completions: number): Interval[] {
  const parts = text === "" ? [] : text.split(",");
  return parts
    .map((part) => parseInterval(part, completions))
    .filter((one): one is Interval => typeof one !== "string");
}

/** The message, where it is malformed. */
function parseInterval(text: string, completions: number): Interval | string {
  const parts = text.split("-");
  if (parts.length > 2) {
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const numbers: number[] = [];
  for (const part of parts) {
    if (!/^\+?[0-9]+$/.test(part)) return `cannot convert string to integer for index: ${JSON.stringify(part)}`;
    if (Number(part) >= completions) return `too large index: ${JSON.stringify(part)}`;
    numbers.push(Number(part));
  }
  const [first = 0, last = first] = numbers;
  if (numbers.length === 2 && first >= last) return `non-increasing order, previous: ${first}, current: ${last}`;
  return [first, last];
}
