// What the platform asks for what a sandbox uses: its published list prices, in US dollars. What an account has for nothing each month is
// not taken off.
import type { UsageRow } from "../../../../shared/contract/tenant-object.ts";

/** Cloudflare's pages on the prices of Workers (paid) and Durable Objects with SQLite, as they were on that day. */
export const prices = {
  readOn: "2026-11-22",
  /** A million requests to the Worker, and to an object. */
  workerRequests: 0.3,
  objectRequests: 0.15,
  /** A million gigabyte-seconds of an object in memory, which is billed as 128 MB. */
  objectDuration: 12.5,
  objectGigabytes: 0.128,
  /** A million rows of an object's SQLite. */
  rowsRead: 0.001,
  rowsWritten: 1,
  /** A gigabyte for a month. */
  stored: 0.2,
} as const;

const million = 1_000_000;
const gigabyte = 1_000_000_000;
const monthSeconds = 30 * 24 * 3600;

export function priceOf({ seconds, awakeSeconds, requests, rowsRead, rowsWritten, bytes }: UsageRow): number {
  const compute =
    (requests * (prices.workerRequests + prices.objectRequests) +
      awakeSeconds * prices.objectGigabytes * prices.objectDuration) /
    million;
  const rows = (rowsRead * prices.rowsRead + rowsWritten * prices.rowsWritten) / million;
  return compute + rows + (bytes / gigabyte) * (seconds / monthSeconds) * prices.stored;
}
