// Encodes metrics in their text exposition format, version 0.0.4.
import {
  type CountedMetric,
  countedMetrics,
  factsOf,
  type MetricFacts,
  type ReadMetric,
  readMetrics,
} from "./catalogue.ts";
import { labelsOfKey, type Sums } from "./sums.ts";

export const metricsType = "text/plain; version=0.0.4; charset=utf-8";

/** The values of a gauge by the value of its label, or one value under an empty text. */
export type Gauges = Readonly<Record<ReadMetric, ReadonlyMap<string, number>>>;

export function encodeMetrics(sums: Sums, gauges: Gauges): string {
  const read = Object.entries(readMetrics).map(([name, facts]) =>
    // The keys are those of the table.
    encoded(name, facts, gaugeLines(name, facts, gauges[name as ReadMetric])),
  );
  const counted = Object.entries(countedMetrics).map(([name, facts]) =>
    encoded(name, facts, countedLines(name as CountedMetric, sums)),
  );
  return [...read, ...counted].join("");
}

function encoded(name: string, { type, help }: MetricFacts, lines: readonly string[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}

function gaugeLines(name: string, { labels }: MetricFacts, values: ReadonlyMap<string, number>): string[] {
  return [...values].map(([key, value]) => `${name}${encodeLabels(labels, labels.length > 0 ? [key] : [])} ${value}`);
}

function countedLines(name: CountedMetric, sums: Sums): string[] {
  const { labels, buckets } = factsOf(name);
  return Object.entries(sums[name] ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, [first = 0, sum = 0, ...inBuckets]]) => {
      const values = labelsOfKey(key);
      if (!buckets) return [`${name}${encodeLabels(labels, values)} ${first}`];
      let below = 0;
      const bucketLines = buckets.map((bound, at) => {
        below += inBuckets[at] ?? 0;
        return `${name}_bucket${encodeLabels([...labels, "le"], [...values, String(bound)])} ${below}`;
      });
      return [
        ...bucketLines,
        `${name}_bucket${encodeLabels([...labels, "le"], [...values, "+Inf"])} ${first}`,
        `${name}_sum${encodeLabels(labels, values)} ${sum}`,
        `${name}_count${encodeLabels(labels, values)} ${first}`,
      ];
    });
}

function encodeLabels(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return "";
  const pairs = names.map((name, at) => `${name}="${escaped(values[at] ?? "")}"`);
  return `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
