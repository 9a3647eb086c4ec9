// The metrics of the service. `scripts/deploy/monitoring` has a dashboard and alerts that use them.

export interface MetricFacts {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** The upper bounds of the buckets of a histogram, ascending. */
  readonly buckets?: readonly number[];
}

const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const turnBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const lateBuckets = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 3600];

/** Counted by isolates and summed up by the metrics object. */
export const countedMetrics = {
  sandbar_requests_total: {
    type: "counter",
    help: "Answered requests.",
    labels: ["kind", "route", "verb", "code"],
  },
  sandbar_request_seconds: {
    type: "histogram",
    help: "Seconds from a request to the head of its answer.",
    labels: ["kind", "route", "verb"],
    buckets: requestBuckets,
  },
  sandbar_errors_total: { type: "counter", help: "Errors in the log.", labels: ["part"] },
  sandbar_turn_seconds: {
    type: "histogram",
    help: "Seconds of a turn of a sandbox's object.",
    labels: [],
    buckets: turnBuckets,
  },
  sandbar_alarm_late_seconds: {
    type: "histogram",
    help: "Seconds by which an alarm of an object ran later than it was set for.",
    labels: ["class"],
    buckets: lateBuckets,
  },
  sandbar_object_reopenings_total: {
    type: "counter",
    help: "Objects that were opened again after they were evicted from memory or restarted.",
    labels: ["class"],
  },
  sandbar_metrics_dropped_total: {
    type: "counter",
    help: "Counts that were lost, because there were too many series or the metrics object did not answer.",
    labels: [],
  },
  sandbar_otlp_exports_total: { type: "counter", help: "Exports to the OpenTelemetry endpoint.", labels: ["outcome"] },
} as const satisfies Readonly<Record<string, MetricFacts>>;

export type CountedMetric = keyof typeof countedMetrics;

/** Read from D1 when they are requested. */
export const readMetrics = {
  sandbar_tenants: gauge("Organisations."),
  sandbar_tenants_suspended: gauge("Organisations that are refused."),
  sandbar_sandboxes_live: gauge("Sandboxes that exist."),
  sandbar_sandboxes_unfinished: gauge("Sandboxes that are being created or deleted."),
  sandbar_today_sandbox_seconds: gauge("Seconds of sandboxes today, as of the scheduled runs."),
  sandbar_today_awake_seconds: gauge("Seconds of objects in memory today."),
  sandbar_today_requests: gauge("Requests of sandboxes today."),
  sandbar_today_rows_read: gauge("Rows that sandboxes read today."),
  sandbar_today_rows_written: gauge("Rows that sandboxes wrote today."),
  sandbar_stored_bytes: gauge("Bytes of the databases of today's sandboxes."),
  sandbar_database_bytes: gauge("Bytes of a database of organisations.", "database"),
  sandbar_file_bytes: gauge("Bytes of the files of snapshots and templates."),
  sandbar_tenant_requests: gauge("Requests of the sandboxes of an organisation today, of the largest ones.", "tenant"),
  sandbar_tenant_rows_written: gauge("Rows that the sandboxes of an organisation wrote today.", "tenant"),
  sandbar_tenant_stored_bytes: gauge("Bytes of the databases of the sandboxes of an organisation.", "tenant"),
} as const satisfies Readonly<Record<string, MetricFacts>>;

export type ReadMetric = keyof typeof readMetrics;

function gauge(help: string, ...labels: string[]): MetricFacts {
  return { type: "gauge", help, labels };
}

export function factsOf(metric: CountedMetric): MetricFacts {
  return countedMetrics[metric];
}

export function isCountedMetric(name: string): name is CountedMetric {
  return Object.hasOwn(countedMetrics, name);
}
