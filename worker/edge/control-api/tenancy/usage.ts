// What a tenant's sandboxes used, as it is told: JSON or CSV, with a price.
import type { z } from "zod";
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

export async function usageOf(controlApi: ControlApiServer, tenantId: string, asked: UsageQuery): Promise<Usage> {
  const today = new Date(controlApi.nowMs()).toISOString().slice(0, 10);
  const { to = today, from = `${to.slice(0, 8)}01`, by } = asked;
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  if (days < 1) throw invalidField("from", "must not be after to");
  if (days > limits.usageSpanDays) throw invalidField("from", `must be at most ${limits.usageSpanDays} days before to`);
  const rows = await controlApi.tenant(tenantId).usage(from, to, by);
  if (!rows) {
    const message = `there are more than ${limits.usageRows} rows: ask for fewer days, or with by=day`;
    throw new ControlError(413, "too_large", message);
  }
  const shown = rows.map((row) => ({
    day: row.day,
    ...(row.id === "" ? {} : { sandbox: { id: row.id, name: row.name } }),
    ...amountsOf(row),
  }));
  return { from, to, total: shown.reduce<Amounts>(added, nothing), rows: shown, pricesOf: prices.readOn };
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

/** Of bytes the most: what is stored on one day is stored on the next. */
function added(sum: Amounts, one: Amounts): Amounts {
  return {
    sandboxHours: sum.sandboxHours + one.sandboxHours,
    awakeHours: sum.awakeHours + one.awakeHours,
    requests: sum.requests + one.requests,
    rowsRead: sum.rowsRead + one.rowsRead,
    rowsWritten: sum.rowsWritten + one.rowsWritten,
    bytes: Math.max(sum.bytes, one.bytes),
    price: sum.price + one.price,
  };
}

const columns = ["sandboxHours", "awakeHours", "requests", "rowsRead", "rowsWritten", "bytes", "price"] as const;

/** Ids and names have no commas and quotes in them. */
export function usageCsv({ rows }: Usage): string {
  const head = ["day", "sandbox", "name", ...columns].join(",");
  const lines = rows.map((row) =>
    [row.day, row.sandbox?.id ?? "", row.sandbox?.name ?? "", ...columns.map((column) => row[column])].join(","),
  );
  return [head, ...lines, ""].join("\r\n");
}
