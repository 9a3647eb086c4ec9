// The platform's list prices in US dollars for the resources that a sandbox uses. Monthly allowances of an account are not deducted.
import type { UsageRow } from "../../../../shared/contract/tenant-object.ts";

/** The prices from Cloudflare's pages about Workers (paid) and Durable Objects with SQLite, at the date below. */
export const prices = {
  readOn: "2026-11-22",
  /** The price of a million requests to the Worker, and to a Durable Object. */
  workerRequests: 0.3,
  objectRequests: 0.15,
  /** The price of a million gigabyte-seconds of a Durable Object in memory, which is billed as 128 MB. */
  objectDuration: 12.5,
  objectGigabytes: 0.128,
  /** The price of a million rows of SQLite. */
  rowsRead: 0.001,
  rowsWritten: 1,
  /** The price of a gigabyte for a month. */
  stored: 0.2,
} as const;

const million = 1_000_000;
const gigabyte = 1_000_000_000;
const monthSeconds = 30 * 24 * 3600;

export function priceOf(row: Omit<UsageRow, "day" | "id" | "name">): number {
  const { seconds, awakeSeconds, requests, rowsRead, rowsWritten, bytes } = row;
  const compute =
    (requests * (prices.workerRequests + prices.objectRequests) +
      awakeSeconds * prices.objectGigabytes * prices.objectDuration) /
    million;
  const rows = (rowsRead * prices.rowsRead + rowsWritten * prices.rowsWritten) / million;
  return compute + rows + (bytes / gigabyte) * (seconds / monthSeconds) * prices.stored;
}
