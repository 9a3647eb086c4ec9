// Sums of counters and histograms. A counter is one number. A histogram is its count, its sum, and the counts of its buckets.
import { type CountedMetric, factsOf, isCountedMetric } from "./catalogue.ts";

/** The numbers of one series. */
export type Series = number[];

/** The series of each metric by their labels' values. */
export type Sums = { [metric in CountedMetric]?: Record<string, Series> };

/** The maximum number of series. Counts of further ones are dropped. */
const seriesMax = 3_000;
const separator = "\n";

export function keyOfLabels(values: readonly string[]): string {
  return values.join(separator);
}

export function labelsOfKey(key: string): string[] {
  return key === "" ? [] : key.split(separator);
}

/** Adds a value: the number of counted events, or an observation of a histogram. */
export class SumsTable {
  #sums: Sums = {};
  #series = 0;

  get isEmpty(): boolean {
    return this.#series === 0;
  }

  add(metric: CountedMetric, key: string, value: number): void {
    const { buckets } = factsOf(metric);
    const series = this.#seriesOf(metric, key, buckets ? 2 + buckets.length : 1);
    if (!series) return;
    if (!buckets) {
      series[0] = (series[0] ?? 0) + value;
      return;
    }
    series[0] = (series[0] ?? 0) + 1;
    series[1] = (series[1] ?? 0) + value;
    let at = 0;
    while (at < buckets.length && value > (buckets[at] ?? 0)) at++;
    if (at < buckets.length) series[2 + at] = (series[2 + at] ?? 0) + 1;
  }

  /** Adds the sums of a batch. Metrics and forms that this version does not know are ignored. */
  merge(batch: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>): void {
    for (const [metric, all] of Object.entries(batch)) {
      if (!isCountedMetric(metric)) continue;
      const length = 2 + (factsOf(metric).buckets?.length ?? -1);
      for (const [key, numbers] of Object.entries(all)) {
        const series = numbers.length === length ? this.#seriesOf(metric, key, length) : undefined;
        for (const [at, number] of numbers.entries()) if (series) series[at] = (series[at] ?? 0) + number;
      }
    }
  }

  read(): Sums {
    return this.#sums;
  }

  /** Returns the sums, and begins anew. */
  take(): Sums {
    const sums = this.#sums;
    this.#sums = {};
    this.#series = 0;
    return sums;
  }

  #seriesOf(metric: CountedMetric, key: string, length: number): Series | undefined {
    const all = (this.#sums[metric] ??= {});
    const existing = all[key];
    if (existing) return existing;
    if (this.#series >= seriesMax && metric !== "sandbar_metrics_dropped_total") {
      this.add("sandbar_metrics_dropped_total", "", 1);
      return undefined;
    }
    this.#series++;
    return (all[key] = Array.from({ length }, () => 0));
  }
}
