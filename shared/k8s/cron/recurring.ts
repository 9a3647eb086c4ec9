// Recurring moments that need no stored state: they are counted and found by arithmetic.

export interface Series {
  readonly firstMs: number;
  readonly periodMs: number;
  /** The number of moments; Infinity if the series does not end. */
  readonly count: number;
}

/** Returns how many moments of the series have passed. */
export function countBy({ firstMs, periodMs, count }: Series, atMs: number): number {
  return atMs < firstMs ? 0 : Math.min(count, Math.floor((atMs - firstMs) / periodMs) + 1);
}

/** Returns the next moment; Infinity if there is none. */
export function nextOf(series: Series, afterMs: number): number {
  const past = countBy(series, afterMs);
  return past < series.count ? series.firstMs + past * series.periodMs : Number.POSITIVE_INFINITY;
}

/** Returns the moments between two times, both included, in order. */
export function momentsIn(series: Series, fromMs: number, untilMs: number): number[] {
  const { firstMs, periodMs } = series;
  const first = fromMs <= firstMs ? 0 : Math.ceil((fromMs - firstMs) / periodMs);
  const length = Math.max(0, countBy(series, untilMs) - first);
  return Array.from({ length }, (_, at) => firstMs + (first + at) * periodMs);
}

/** Returns the series up to a moment, which is included. */
export function cutAt<S extends Series>(series: S, untilMs: number): S {
  return { ...series, count: countBy(series, untilMs) };
}
