// The control API's usage: `/v1/usage`, by day and sandbox, with the platform's price.
import * as z from "zod";

const day = z.iso.date();

/** Query of `GET /v1/usage`; days are in UTC. */
export const usageQuery = z.strictObject({
  from: day.optional().describe("The first day; absent: the first of this month."),
  to: day.optional().describe("The last day; absent: today."),
  by: z.enum(["sandbox", "day"]).default("sandbox").describe("A row for each sandbox and day, or one for each day."),
  format: z
    .enum(["json", "csv"])
    .optional()
    .describe("Absent: `Accept` decides, and where it names no CSV it is JSON."),
});

const amounts = {
  /** The hours for which sandboxes existed. */
  sandboxHours: z.number(),
  /** The hours for which they were in memory, which the platform bills. */
  awakeHours: z.number(),
  /** The requests that reached a sandbox, including alarms and steps of followed timelines; steps of event streams. */
  requests: z.int(),
  rowsRead: z.int(),
  rowsWritten: z.int(),
  /** The maximum of stored bytes. */
  bytes: z.int(),
  /** The price in US dollars by the platform's list prices, without an account's allowances. */
  price: z.number(),
};

export const usage = z.object({
  from: day,
  to: day,
  total: z.object(amounts),
  rows: z.array(
    z.object({
      day,
      /** The sandbox. Absent if the row is a day, or the event streams of the organisation. */
      sandbox: z.object({ id: z.string(), name: z.string() }).optional(),
      ...amounts,
    }),
  ),
  /** The day on which the prices were read from the platform's pages. */
  pricesOf: day,
});

export type Usage = z.infer<typeof usage>;
