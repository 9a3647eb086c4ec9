// The control API's answer about what policies and webhooks noted: audit events of audit.k8s.io/v1, as they are kept.
import { z } from "zod";

/** Answer of `GET /v1/sandboxes/{id}/audit`. */
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
