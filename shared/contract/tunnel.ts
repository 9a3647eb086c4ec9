// What a sandbox and the command at the other end of a tunnel say to each other: text frames, each one of these as JSON. `ping` is
// answered with `pong`, and wakes nobody.
import { z } from "zod";

export const tunnelPath = "/sandbar/tunnel";

const headers = z.array(z.tuple([z.string(), z.string()]).readonly()).readonly();

export const tunnelQuestion = z.object({
  id: z.string(),
  method: z.string(),
  /** With its query. */
  path: z.string(),
  /** Who the answerer's certificate must be made out to. */
  serverName: z.string(),
  /** PEM, in base64: the only authorities that may have signed it; absent: those that the machine trusts. */
  caBundle: z.string().optional(),
  /** Any certificate will do. */
  insecure: z.boolean().optional(),
  headers,
  /** In base64. */
  body: z.string(),
  timeoutMs: z.number(),
});

export type TunnelQuestion = z.infer<typeof tunnelQuestion>;

export const tunnelAnswer = z.union([
  z.object({ id: z.string(), status: z.number(), headers, body: z.string() }),
  /** Why there is no answer, as Go's HTTP client words it. */
  z.object({ id: z.string(), error: z.string() }),
]);

export type TunnelAnswer = z.infer<typeof tunnelAnswer>;

/** The same for one who is told where to ask: scheme, host and port. */
export const directQuestion = tunnelQuestion.extend({ origin: z.string() });

export type DirectQuestion = z.infer<typeof directQuestion>;
