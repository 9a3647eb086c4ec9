// Sets of completion indexes as ordered intervals, in the format of a job's status: `1,3-5,7`.

export interface Interval {
  readonly first: number;
  readonly last: number;
}

export type Intervals = readonly Interval[];

/** Parses intervals. Malformed items and indexes beyond the completions are ignored. */
export function parseIndexesFromString(text: string, completions: number): Intervals {
  const parsed = (text === "" ? [] : text.split(",")).flatMap((range): Interval[] => {
    const [, first, last] = /^([0-9]+)(?:-([0-9]+))?$/.exec(range) ?? [];
    if (first === undefined || Number(first) >= completions || Number(last ?? first) < Number(first)) return [];
    return [{ first: Number(first), last: Math.min(Number(last ?? first), completions - 1) }];
  });
  return merge([], parsed);
}

export function intervalsText(intervals: Intervals): string {
  return intervals
    .map(({ first, last }) => (last > first ? `${first}${last === first + 1 ? "," : "-"}${last}` : String(first)))
    .join(",");
}

export function withIndexes(intervals: Intervals, indexes: Iterable<number>): Intervals {
  const sorted = [...indexes].sort((a, b) => a - b);
  return merge(
    intervals,
    sorted.map((index) => ({ first: index, last: index })),
  );
}

/** Returns the union. */
export function merge(left: Intervals, right: Intervals): Intervals {
  const all = [...left, ...right].sort((a, b) => a.first - b.first);
  const merged: Interval[] = [];
  for (const interval of all) {
    const before = merged.at(-1);
    if (!before || interval.first > before.last + 1) merged.push(interval);
    else if (interval.last > before.last) merged[merged.length - 1] = { first: before.first, last: interval.last };
  }
  return merged;
}

export function countOf(intervals: Intervals): number {
  return intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

export function has(intervals: Intervals, index: number): boolean {
  return intervals.some(({ first, last }) => first <= index && index <= last);
}

/** Counts the shared indexes. */
export function countShared(left: Intervals, right: Intervals): number {
  let shared = 0;
  for (const a of left) {
    for (const b of right) shared += Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
  }
  return shared;
}

/** Returns the first `count` indexes below `end` that are in no interval. */
export function firstMissing(intervals: Intervals, count: number, end: number): number[] {
  const missing: number[] = [];
  let candidate = 0;
  for (const { first, last } of [...intervals, { first: end, last: end }]) {
    for (; candidate < Math.min(first, end) && missing.length < count; candidate++) missing.push(candidate);
    candidate = Math.max(candidate, last + 1);
  }
  return missing;
}
