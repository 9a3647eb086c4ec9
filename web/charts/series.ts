// The series of a chart: points in time, the scale that fits them, and the point nearest to a moment. Independent of the page.

interface ChartPoint {
  readonly atMs: number;
  readonly value: number;
}

export interface Series {
  readonly name: string;
  readonly points: readonly ChartPoint[];
  /** True for a limit or a target, which is dashed. */
  readonly isBound?: boolean;
}

/** The number of series in one chart, beside bounds. */
const mostSeries = 5;

const steps = [1, 2, 2.5, 5, 10];

/** Returns the top of the scale: the next round number above the values, at least `least`. */
export function topOf(series: readonly Series[], least: number): number {
  const most = Math.max(least, ...series.flatMap(({ points }) => points.map(({ value }) => value)));
  const power = 10 ** Math.floor(Math.log10(most));
  return (steps.find((step) => step * power >= most) ?? 10) * power;
}

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns the path of a series in a box of 1000 by 100. */
export function pathOf({ points }: Series, { fromMs, toMs }: Span, top: number): string {
  const width = Math.max(1, toMs - fromMs);
  const [only, ...further] = points;
  // A line without a length is drawn as a point, because its ends are round.
  if (only && further.length === 0) {
    const x = toMs > fromMs ? ((only.atMs - fromMs) / width) * 1000 : 500;
    return `M${x.toFixed(1)} ${(100 - (only.value / top) * 100).toFixed(2)}h0`;
  }
  return points
    .map(({ atMs, value }, at) => {
      const x = (((atMs - fromMs) / width) * 1000).toFixed(1);
      const y = (100 - (value / top) * 100).toFixed(2);
      return `${at === 0 ? "M" : "L"}${x} ${y}`;
    })
    .join("");
}

/** Returns the span of all points. */
export function spanOf(series: readonly Series[]): Span {
  const times = series.flatMap(({ points }) => points.map(({ atMs }) => atMs));
  return times.length === 0 ? { fromMs: 0, toMs: 0 } : { fromMs: Math.min(...times), toMs: Math.max(...times) };
}

/** Returns all times at which a series has a point, ascending. */
export function timesOf(series: readonly Series[]): readonly number[] {
  return [...new Set(series.flatMap(({ points }) => points.map(({ atMs }) => atMs)))].sort((a, b) => a - b);
}

/** Returns the value at a time: that of the last point until then. A series has none before its first and after its last point. */
export function valueAt({ points }: Series, atMs: number): number | undefined {
  const endMs = points.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
  return atMs > endMs ? undefined : points.findLast((point) => point.atMs <= atMs)?.value;
}

/** Keeps the largest series, and sums the remaining into one. */
export function largest(series: readonly Series[], othersName: string): readonly Series[] {
  if (series.length <= mostSeries) return series;
  const sorted = [...series].sort((a, b) => lastOf(b) - lastOf(a));
  const remaining = sorted.slice(mostSeries - 1);
  const points = timesOf(remaining).map((atMs) => ({ atMs, value: sumAt(remaining, atMs) }));
  return [...sorted.slice(0, mostSeries - 1), { name: othersName, points }];
}

/** Returns the sum of the series at each time at which one has a point of that time. */
export function sumAt(series: readonly Series[], atMs: number): number {
  return series.reduce((sum, { points }) => sum + (points.find((point) => point.atMs === atMs)?.value ?? 0), 0);
}

function lastOf({ points }: Series): number {
  return points.at(-1)?.value ?? 0;
}
