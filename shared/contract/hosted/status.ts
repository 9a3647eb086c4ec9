// The state of the service for everybody: `GET /status`.
import * as z from "zod";

export const statusParts = ["database", "files", "sandboxes", "organisations"] as const;

export const serviceStatus = z.object({
  /** `degraded` if a part does not answer. Existing sandboxes need only `sandboxes`. */
  status: z.enum(["ok", "degraded"]),
  checkedAt: z.iso.datetime(),
  parts: z.array(z.object({ name: z.enum(statusParts), ok: z.boolean(), milliseconds: z.int() })),
});

export type ServiceStatus = z.output<typeof serviceStatus>;
