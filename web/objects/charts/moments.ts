// The moments at which a chart is measured: some of the past when it opens, then one after the other. Independent of the page.

/** The milliseconds between two measurements, which is how often a metrics server scrapes. */
export const measureMs = 15_000;
/** The milliseconds that a chart reaches back, and the number of measurements of the past. */
export const spanMs = 30 * 60_000;
const pastMoments = 12;

/** Returns moments between the creation of an object and now, the newest first, at most `spanMs` back. */
export function pastMomentsOf(createdMs: number, nowMs: number): readonly number[] {
  const fromMs = Math.max(createdMs, nowMs - spanMs);
  const leftMs = nowMs - fromMs;
  const count = Math.min(pastMoments, Math.floor(leftMs / measureMs));
  if (count < 1) return [];
  const moments = Array.from({ length: count }, (_, at) => nowMs - ((at + 1) * leftMs) / (count + 1));
  // The API reads a time in whole seconds.
  return moments.map((atMs) => Math.floor(atMs / 1000) * 1000);
}

export interface Measured<T> {
  readonly atMs: number;
  readonly value: T;
}

/** Adds a measurement in the order of time, and forgets those that are older than the span before the newest. */
export function withMeasurement<T>(all: readonly Measured<T>[], added: Measured<T>): readonly Measured<T>[] {
  const rest = all.filter(({ atMs }) => atMs !== added.atMs);
  const sorted = [...rest, added].sort((a, b) => a.atMs - b.atMs);
  const newestMs = sorted.at(-1)?.atMs ?? 0;
  return sorted.filter(({ atMs }) => atMs >= newestMs - spanMs);
}
