// The audit events that policies and webhooks recorded, as events of audit.k8s.io/v1.
import * as z from "zod";

/** Response of `GET /v1/sandboxes/{id}/audit`. */
export const auditEventList = z.object({
  kind: z.literal("EventList"),
  apiVersion: z.literal("audit.k8s.io/v1"),
  metadata: z.object({}),
  items: z.array(
    z.looseObject({
      kind: z.literal("Event"),
      apiVersion: z.literal("audit.k8s.io/v1"),
      auditID: z.string(),
      verb: z.string(),
      annotations: z.record(z.string(), z.string()),
    }),
  ),
});
