// `GET /metrics`: figures of the service in the text format of OpenMetrics. Totals come from D1. Counters of responses are those of this
// isolate, so their series carry the isolate's name.
import { randomText } from "../../mac.ts";
import { responseCounts } from "../../service/response-counts.ts";
import type { ControlApiServer } from "../server.ts";

export const metricsType = "text/plain; version=0.0.4; charset=utf-8";

interface Metric {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly samples: readonly (readonly [labels: string, value: number])[];
}

let isolate: string | undefined;

export async function metricsText(controlApi: Pick<ControlApiServer, "plans" | "nowMs">): Promise<string> {
  const { plans, nowMs } = controlApi;
  const totals = await plans.totals(nowMs());
  const yesterday = new Date(nowMs() - 86_400_000).toISOString().slice(0, 10);
  const today = await plans.usageSince(yesterday);
  const name = (isolate ??= randomText(8));
  return [
    gauge("sandbar_tenants", "Tenants.", totals.tenants),
    gauge("sandbar_tenants_suspended", "Tenants that are refused.", totals.suspended),
    gauge("sandbar_sandboxes_live", "Sandboxes that are there.", totals.liveSandboxes),
    gauge("sandbar_sandboxes_unfinished", "Sandboxes that are being made or deleted.", totals.unfinished),
    gauge("sandbar_today_sandbox_seconds", "Seconds of sandboxes today, as of the scheduled runs.", today.seconds),
    gauge("sandbar_today_awake_seconds", "Seconds of objects in memory today.", today.awakeSeconds),
    gauge("sandbar_today_requests", "Requests of sandboxes today.", today.requests),
    gauge("sandbar_today_rows_read", "Rows that sandboxes read today.", today.rowsRead),
    gauge("sandbar_today_rows_written", "Rows that sandboxes wrote today.", today.rowsWritten),
    gauge("sandbar_stored_bytes", "Bytes of the databases of today's sandboxes.", today.bytes),
    {
      name: "sandbar_isolate_answers_total",
      type: "counter",
      help: "Answers of the isolate that was asked, since it began.",
      samples: [...responseCounts].sort().map(([labels, value]) => [`{isolate="${name}",${labels}}`, value] as const),
    } satisfies Metric,
  ]
    .map(written)
    .join("");
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, type: "gauge", help, samples: [["", value]] };
}

function written({ name, type, help, samples }: Metric): string {
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}
