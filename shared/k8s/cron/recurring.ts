// What comes again and again with nothing to remember it: the moments of a series, counted and found without going through them.

export interface Series {
  readonly firstMs: number;
  readonly periodMs: number;
  /** Infinity: it goes on. */
  readonly count: number;
}

/** How many of its moments have come by then. */
export function countBy({ firstMs, periodMs, count }: Series, atMs: number): number {
  return atMs < firstMs ? 0 : Math.min(count, Math.floor((atMs - firstMs) / periodMs) + 1);
}

/** Its next moment after that one; Infinity if there is none. */
export function nextOf(series: Series, afterMs: number): number {
  const past = countBy(series, afterMs);
  return past < series.count ? series.firstMs + past * series.periodMs : Number.POSITIVE_INFINITY;
}

/** Its moments from one to another, both included, in their order. */
export function momentsIn(series: Series, fromMs: number, untilMs: number): number[] {
  const { firstMs, periodMs } = series;
  const first = fromMs <= firstMs ? 0 : Math.ceil((fromMs - firstMs) / periodMs);
  const length = Math.max(0, countBy(series, untilMs) - first);
  return Array.from({ length }, (_, at) => firstMs + (first + at) * periodMs);
}

/** The part of it that lies before a moment, or on it. */
export function cutAt<S extends Series>(series: S, untilMs: number): S {
  return { ...series, count: countBy(series, untilMs) };
}
