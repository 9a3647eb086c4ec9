// Exports metrics to an OpenTelemetry collector: OTLP over HTTP as JSON, with cumulative sums since the counts began, and gauges.
import { type CountedMetric, factsOf, type ReadMetric, readMetrics } from "./catalogue.ts";
import { labelsOfKey, type Series, type Sums } from "./sums.ts";
import type { Gauges } from "./text.ts";

export interface OtlpSettings {
  /** The base address of the collector, to which `/v1/metrics` is added. */
  readonly endpoint: string;
  /** Headers as `name=value,name=value`, with percent encoding. */
  readonly headers: string;
}

/** The time after which an export fails. */
const exportMs = 10_000;
const cumulative = 2;

interface Period {
  readonly sinceMs: number;
  readonly nowMs: number;
}

export interface Exported {
  readonly sums: Sums;
  /** Absent if they could not be read. */
  readonly gauges?: Gauges | undefined;
}

/** Sends the metrics. Returns the status, or 0 without an answer. */
export async function exportMetrics(
  { endpoint, headers }: OtlpSettings,
  exported: Exported,
  period: Period,
  fetch: typeof globalThis.fetch,
): Promise<number> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const abort = new AbortController();
  const timer = AbortSignal.timeout(exportMs);
  timer.addEventListener("abort", () => {
    abort.abort();
    reject(new Error("the collector did not answer in time"));
  });
  try {
    const answer = await Promise.race([
      fetch(`${endpoint.replace(/\/$/, "")}/v1/metrics`, {
        method: "POST",
        headers: { ...headersOf(headers), "content-type": "application/json" },
        body: JSON.stringify(otlpMetrics(exported, period)),
        redirect: "manual",
        signal: abort.signal,
      }),
      expired,
    ]);
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return 0;
  }
}

/** Returns the request of an export. */
export function otlpMetrics({ sums, gauges }: Exported, { sinceMs, nowMs }: Period): object {
  const times = { startTimeUnixNano: nanoseconds(sinceMs), timeUnixNano: nanoseconds(nowMs) };
  const counted = Object.entries(sums).map(([name, all]) => {
    // The keys of sums are metrics.
    const metric = name as CountedMetric;
    const { help, buckets } = factsOf(metric);
    const dataPoints = Object.entries(all).map(([key, series]) => ({
      attributes: attributesOf(metric, key),
      ...times,
      ...(buckets ? histogramPoint(series, buckets) : { asDouble: series[0] ?? 0 }),
    }));
    const points = { aggregationTemporality: cumulative, dataPoints };
    return {
      name,
      description: help,
      ...(buckets ? { unit: "s", histogram: points } : { sum: { ...points, isMonotonic: true } }),
    };
  });
  const read = Object.entries(gauges ?? {}).map(([name, values]) => {
    // The keys are those of the table.
    const { help, labels } = readMetrics[name as ReadMetric];
    const dataPoints = [...values].map(([key, value]) => ({
      attributes: labels.map((label) => attribute(label, key)),
      timeUnixNano: nanoseconds(nowMs),
      asDouble: value,
    }));
    return { name, description: help, gauge: { dataPoints } };
  });
  const metrics = [...counted, ...read];
  const resource = { attributes: [attribute("service.name", "sandbar")] };
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope: { name: "sandbar" }, metrics }] }] };
}

function histogramPoint([count = 0, sum = 0, ...inBuckets]: Series, buckets: readonly number[]) {
  const bounded = buckets.map((_, at) => inBuckets[at] ?? 0);
  const above = count - bounded.reduce((total, number) => total + number, 0);
  return { count: String(count), sum, explicitBounds: buckets, bucketCounts: [...bounded, above].map(String) };
}

function attributesOf(metric: CountedMetric, key: string) {
  const values = labelsOfKey(key);
  return factsOf(metric).labels.map((label, at) => attribute(label, values[at] ?? ""));
}

function attribute(key: string, value: string) {
  return { key, value: { stringValue: value } };
}

function nanoseconds(ms: number): string {
  return `${Math.trunc(ms)}000000`;
}

function headersOf(text: string): Record<string, string> {
  const pairs = text.split(",").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at > 0 ? [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())] as const] : [];
  });
  return Object.fromEntries(pairs);
}
