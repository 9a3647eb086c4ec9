// The counts of this isolate, which are sent to the metrics object in batches, so that counting costs a request no call.
import type { CountedMetric } from "./catalogue.ts";
import { keyOfLabels, type Sums, SumsTable } from "./sums.ts";

export interface MetricsRpc {
  /** Adds the counts of an isolate. */
  add(sums: Sums): Promise<void>;
  /** Returns all counts. They are stored before, so that no later answer has less. */
  read(): Promise<Sums>;
}

export interface MetricsNamespace {
  getByName(name: string): MetricsRpc;
}

/** The name of the only metrics object. */
export const metricsName = "metrics";
/** The milliseconds between two batches of an isolate. */
export const flushMs = 10_000;

const counts = new SumsTable();
let flushedMs = Number.NEGATIVE_INFINITY;

export function count(metric: CountedMetric, ...labels: readonly string[]): void {
  counts.add(metric, keyOfLabels(labels), 1);
}

export function observe(metric: CountedMetric, seconds: number, ...labels: readonly string[]): void {
  counts.add(metric, keyOfLabels(labels), seconds);
}

/** Sends the counts unless a batch was sent just before. Never rejects: counts that cannot be sent are sent with the next batch. */
export async function flushMetrics(namespace: MetricsNamespace | undefined, nowMs: number): Promise<void> {
  if (!namespace || counts.isEmpty || nowMs - flushedMs < flushMs) return;
  await flushNow(namespace, nowMs);
}

/** Sends the counts. */
export async function flushNow(namespace: MetricsNamespace, nowMs: number): Promise<void> {
  flushedMs = nowMs;
  const batch = counts.take();
  try {
    await namespace.getByName(metricsName).add(batch);
  } catch {
    counts.merge(batch);
  }
}

/** Returns the counts that were not sent. */
export function unsentCounts(): Sums {
  return counts.read();
}
