// The difference of two API values as upstream shows it in a refusal: a unified diff of their indented JSON.

const contextLines = 3;

/** "" where they are equal. */
export function jsonDiff(previous: unknown, next: unknown): string {
  const before = lines(previous);
  const after = lines(next);
  const [start, end] = commonEnds(before, after);
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  if (removed.length === 0 && added.length === 0) return "";
  const from = Math.max(0, start - contextLines);
  const lead = before.slice(from, start);
  const tail = before.slice(before.length - end, before.length - end + contextLines);
  const range = (count: number) => `${from + 1},${lead.length + count + tail.length}`;
  const body = [
    ...lead.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...tail.map((line) => ` ${line}`),
  ];
  return [`@@ -${range(removed.length)} +${range(added.length)} @@`, ...body, ""].join("\n");
}

function lines(value: unknown): string[] {
  return (JSON.stringify(sorted(value), null, 2) ?? "null").split("\n");
}

/** Keys in order, so that only values differ. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}

/** How many lines agree at the beginning and at the end. */
function commonEnds(before: readonly string[], after: readonly string[]): [number, number] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return [start, end];
}
