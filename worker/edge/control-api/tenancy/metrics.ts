// `GET /metrics`: the counts of all isolates, and figures that are read from D1.
import { encodeMetrics, type Gauges } from "../../../metrics/text.ts";
import type { TenantUsage } from "../../db/plans.ts";
import type { ControlApiServer } from "../server.ts";

/** The number of organisations with series of their own. */
const measuredTenants = 10;

type Reading = Pick<ControlApiServer, "plans" | "databases" | "readCounts" | "nowMs">;

export async function metricsText(controlApi: Reading): Promise<string> {
  return encodeMetrics(await controlApi.readCounts(), await readGauges(controlApi));
}

export async function readGauges({ plans, databases, nowMs }: Reading): Promise<Gauges> {
  const totals = await plans.totals(nowMs());
  const yesterday = new Date(nowMs() - 86_400_000).toISOString().slice(0, 10);
  const today = await plans.usageSince(yesterday);
  const largest = await plans.largestTenants(yesterday, measuredTenants);
  const bytes = await Promise.all(databases.map((database) => database.bytes()));
  const byTenant = (figure: Exclude<keyof TenantUsage, "tenantId">) =>
    new Map(largest.map((tenant) => [tenant.tenantId, tenant[figure]]));
  return {
    sandbar_tenants: unlabelled(totals.tenants),
    sandbar_tenants_suspended: unlabelled(totals.suspended),
    sandbar_sandboxes_live: unlabelled(totals.liveSandboxes),
    sandbar_sandboxes_unfinished: unlabelled(totals.unfinished),
    sandbar_today_sandbox_seconds: unlabelled(today.seconds),
    sandbar_today_awake_seconds: unlabelled(today.awakeSeconds),
    sandbar_today_requests: unlabelled(today.requests),
    sandbar_today_rows_read: unlabelled(today.rowsRead),
    sandbar_today_rows_written: unlabelled(today.rowsWritten),
    sandbar_stored_bytes: unlabelled(today.bytes),
    sandbar_database_bytes: new Map(bytes.map((size, at) => [String(at), size])),
    sandbar_file_bytes: unlabelled(totals.fileBytes),
    sandbar_tenant_requests: byTenant("requests"),
    sandbar_tenant_rows_written: byTenant("rowsWritten"),
    sandbar_tenant_stored_bytes: byTenant("bytes"),
  };
}

function unlabelled(value: number): ReadonlyMap<string, number> {
  return new Map([["", value]]);
}
