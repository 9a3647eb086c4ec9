// The control API's answer about who did what: `GET /v1/audit`.
import { z } from "zod";
import { listQuery } from "./sandbox.ts";

export const auditQuery = listQuery;

/** Something that was done, or tried by one who may. */
export const auditEntry = z.object({
  at: z.iso.datetime(),
  by: z.object({
    /** `operator`: who runs the service. */
    kind: z.enum(["key", "person", "operator"]),
    id: z.string(),
    /** As it was called then; empty: the person is deleted. */
    name: z.string(),
  }),
  /** The operation's name in the OpenAPI document. */
  action: z.string(),
  /** The id of what it was done to. */
  target: z.string(),
  /** `begun`: it was cut off, or is under way. */
  outcome: z.enum(["begun", "done", "failed"]),
  /** Of what failed: the error's. */
  code: z.string().optional(),
  /** The network that it came from, no longer than 24 bits of IPv4 or 48 of IPv6; empty where it is not known. */
  address: z.string(),
  /** The `Request-Id` of the request that did it. Absent: an entry of earlier versions. */
  requestId: z.string().optional(),
  /** Of what an operator changed: to what. */
  changed: z.record(z.string(), z.unknown()).optional(),
});

export type AuditEntry = z.infer<typeof auditEntry>;

/** The newest first, a page at a time. */
export const auditList = z.object({ entries: z.array(auditEntry), nextCursor: z.string().optional() });

export type AuditList = z.infer<typeof auditList>;
