// The control API's audit log: `GET /v1/audit`.
import * as z from "zod";
import { listQuery } from "./sandbox.ts";

export const auditQuery = listQuery;

/** A control action of an authorized caller, including failed ones. */
export const auditEntry = z.object({
  at: z.iso.datetime(),
  by: z.object({
    /** The kind of the actor; `operator` runs the service. */
    kind: z.enum(["key", "person", "operator"]),
    id: z.string(),
    /** The actor's name at that time. Empty if the person is deleted. */
    name: z.string(),
  }),
  /** The operation's id in the OpenAPI document. */
  action: z.string(),
  /** The id of the changed resource. */
  target: z.string(),
  /** The outcome; `begun` means that the action was interrupted or is in progress. */
  outcome: z.enum(["begun", "done", "failed"]),
  /** The error code of a failed action. */
  code: z.string().optional(),
  /** The client's network, at most 24 bits of IPv4 or 48 of IPv6. Empty if unknown. */
  address: z.string(),
  /** The `Request-Id` of the request. Absent for entries of earlier versions. */
  requestId: z.string().optional(),
  /** The new values of an operator's change. */
  changed: z.record(z.string(), z.unknown()).optional(),
});

export type AuditEntry = z.infer<typeof auditEntry>;

/** A page of entries, the newest first. */
export const auditList = z.object({ entries: z.array(auditEntry), nextCursor: z.string().optional() });

export type AuditList = z.infer<typeof auditList>;
