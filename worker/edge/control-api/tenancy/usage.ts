// Encodes the usage of a tenant's sandboxes as JSON or CSV, with a price.
import type * as z from "zod";
import { limits } from "../../../../shared/base/limits.ts";
import type { UsageRow } from "../../../../shared/contract/tenant-object.ts";
import type { ServiceUsage, serviceUsageQuery } from "../../../../shared/contract/hosted/admin.ts";
import type { Usage, usageQuery } from "../../../../shared/contract/hosted/usage.ts";
import { invalidField } from "../body.ts";
import { ControlError } from "../control-error.ts";
import { priceOf, prices } from "./prices.ts";
import type { ControlApiServer } from "../server.ts";

type UsageQuery = z.output<typeof usageQuery>;
type Amounts = Usage["total"];

const dayMs = 86_400_000;

export async function usageOf(controlApi: ControlApiServer, tenantId: string, query: UsageQuery): Promise<Usage> {
  const { from, to } = spanOf(controlApi, query);
  const rows = await controlApi.tenant(tenantId).usage(from, to, query.by);
  if (!rows) throw tooManyRows("ask for fewer days, or with by=day");
  const pricedRows = rows.map((row) => ({
    day: row.day,
    ...(row.id === "" ? {} : { sandbox: { id: row.id, name: row.name } }),
    ...amountsOf(row),
  }));
  return { from, to, total: totalOf(pricedRows), rows: pricedRows, pricesOf: prices.readOn };
}

/** Returns the stored usage of all tenants by day. The scheduled run stores it twice a day. */
export async function serviceUsageOf(
  controlApi: ControlApiServer,
  query: z.output<typeof serviceUsageQuery>,
): Promise<ServiceUsage> {
  const { from, to } = spanOf(controlApi, query);
  const rows = await controlApi.plans.usageBetween(from, to, limits.usageRows + 1);
  if (rows.length > limits.usageRows) throw tooManyRows("ask for fewer days");
  const pricedRows = rows.map(({ tenantId, day, ...amounts }) => ({ day, tenant: tenantId, ...amountsOf(amounts) }));
  return { from, to, total: totalOf(pricedRows), rows: pricedRows, pricesOf: prices.readOn };
}

/** Returns the days of a query. Throws 400 if they are in the wrong order or too many. */
function spanOf(
  { nowMs }: Pick<ControlApiServer, "nowMs">,
  query: Pick<UsageQuery, "from" | "to">,
): { readonly from: string; readonly to: string } {
  const today = new Date(nowMs()).toISOString().slice(0, 10);
  const { to = today, from = `${to.slice(0, 8)}01` } = query;
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  if (days < 1) throw invalidField("from", "must not be after to");
  if (days > limits.usageSpanDays) throw invalidField("from", `must be at most ${limits.usageSpanDays} days before to`);
  return { from, to };
}

function tooManyRows(advice: string): ControlError {
  return new ControlError(413, "too_large", `there are more than ${limits.usageRows} rows: ${advice}`);
}

function totalOf(rows: readonly Amounts[]): Amounts {
  return rows.reduce<Amounts>(added, nothing);
}

const nothing: Amounts = {
  sandboxHours: 0,
  awakeHours: 0,
  requests: 0,
  rowsRead: 0,
  rowsWritten: 0,
  bytes: 0,
  price: 0,
};

function amountsOf(row: Omit<UsageRow, "day" | "id" | "name">): Amounts {
  const { seconds, awakeSeconds, requests, rowsRead, rowsWritten, bytes } = row;
  return {
    sandboxHours: seconds / 3600,
    awakeHours: awakeSeconds / 3600,
    requests,
    rowsRead,
    rowsWritten,
    bytes,
    price: priceOf(row),
  };
}

/** Adds amounts. Of stored bytes the maximum counts, because the same bytes are stored on several days. */
function added(sum: Amounts, amounts: Amounts): Amounts {
  return {
    sandboxHours: sum.sandboxHours + amounts.sandboxHours,
    awakeHours: sum.awakeHours + amounts.awakeHours,
    requests: sum.requests + amounts.requests,
    rowsRead: sum.rowsRead + amounts.rowsRead,
    rowsWritten: sum.rowsWritten + amounts.rowsWritten,
    bytes: Math.max(sum.bytes, amounts.bytes),
    price: sum.price + amounts.price,
  };
}

const columns = ["sandboxHours", "awakeHours", "requests", "rowsRead", "rowsWritten", "bytes", "price"] as const;

/** Ids and names contain no commas or quotes. */
export function usageCsv({ rows }: Usage): string {
  return csvOf(
    ["day", "sandbox", "name"],
    rows.map((row) => [row.day, row.sandbox?.id ?? "", row.sandbox?.name ?? "", ...amountCells(row)]),
  );
}

export function serviceUsageCsv({ rows }: ServiceUsage): string {
  return csvOf(
    ["day", "tenant"],
    rows.map((row) => [row.day, row.tenant, ...amountCells(row)]),
  );
}

function amountCells(row: Amounts): number[] {
  return columns.map((column) => row[column]);
}

function csvOf(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [[...head, ...columns], ...rows].map((cells) => cells.join(","));
  return [...lines, ""].join("\r\n");
}

/** Reports whether the client asks for CSV, by `format` or by `Accept`. */
export function wantsCsv({ format }: { readonly format?: "json" | "csv" | undefined }, headers: Headers): boolean {
  return format === "csv" || (format === undefined && /text\/csv/i.test(headers.get("accept") ?? ""));
}
