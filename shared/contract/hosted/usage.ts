// The control API's usage: `/v1/usage`, by day and sandbox, with what the platform asks for it.
import { z } from "zod";

const day = z.iso.date();

/** Query of `GET /v1/usage`; days are of UTC. */
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
  /** For which sandboxes were there. */
  sandboxHours: z.number(),
  /** For which they were in memory: the platform bills that. */
  awakeHours: z.number(),
  /** That reached a sandbox, its alarms among them. */
  requests: z.int(),
  rowsRead: z.int(),
  rowsWritten: z.int(),
  /** The most that was stored. */
  bytes: z.int(),
  /** In US dollars, by the platform's list prices, without what an account has for nothing. */
  price: z.number(),
};

export const usage = z.object({
  from: day,
  to: day,
  total: z.object(amounts),
  rows: z.array(
    z.object({
      day,
      /** Absent where a row is a whole day. */
      sandbox: z.object({ id: z.string(), name: z.string() }).optional(),
      ...amounts,
    }),
  ),
  /** The day on which the prices were read from the platform's pages. */
  pricesOf: day,
});

export type Usage = z.infer<typeof usage>;
