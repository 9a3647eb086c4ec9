// Encodes the usage of a tenant's sandboxes as JSON or CSV, with a price.
import type * as z from "zod";
import { limits } from "../../../../shared/base/limits.ts";
import type { UsageRow } from "../../../../shared/contract/tenant-object.ts";
import type { Usage, usageQuery } from "../../../../shared/contract/hosted/usage.ts";
import { invalidField } from "../body.ts";
import { ControlError } from "../control-error.ts";
import { priceOf, prices } from "./prices.ts";
import type { ControlApiServer } from "../server.ts";

type UsageQuery = z.output<typeof usageQuery>;
type Amounts = Usage["total"];

const dayMs = 86_400_000;

export async function usageOf(controlApi: ControlApiServer, tenantId: string, query: UsageQuery): Promise<Usage> {
  const today = new Date(controlApi.nowMs()).toISOString().slice(0, 10);
  const { to = today, from = `${to.slice(0, 8)}01`, by } = query;
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  if (days < 1) throw invalidField("from", "must not be after to");
  if (days > limits.usageSpanDays) throw invalidField("from", `must be at most ${limits.usageSpanDays} days before to`);
  const rows = await controlApi.tenant(tenantId).usage(from, to, by);
  if (!rows) {
    const message = `there are more than ${limits.usageRows} rows: ask for fewer days, or with by=day`;
    throw new ControlError(413, "too_large", message);
  }
  const pricedRows = rows.map((row) => ({
    day: row.day,
    ...(row.id === "" ? {} : { sandbox: { id: row.id, name: row.name } }),
    ...amountsOf(row),
  }));
  return { from, to, total: pricedRows.reduce<Amounts>(added, nothing), rows: pricedRows, pricesOf: prices.readOn };
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

function amountsOf(row: UsageRow): Amounts {
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
  const head = ["day", "sandbox", "name", ...columns].join(",");
  const lines = rows.map((row) =>
    [row.day, row.sandbox?.id ?? "", row.sandbox?.name ?? "", ...columns.map((column) => row[column])].join(","),
  );
  return [head, ...lines, ""].join("\r\n");
}
