// The cause of a change: who made it and why. The change log stores it as a short text.
import type { Change } from "./change.ts";

/**
 * The text has one of three forms. A request: `["jane","patch","<audit id>"]`, followed by the impersonator ("" if there is none) and the
 * subresource. A controller: `["system:...:replicaset","replicaset:default/web-1",41]`. The service itself:
 * `["kubernetes-admin","manifests"]`.
 */
export interface Cause {
  readonly user: string;
  /** The verb of the request (`create`, `patch`, ...) or the reconcile (`replicaset:default/web-1`). */
  readonly origin: string;
  /** The `Audit-Id` of the request. Undefined if no request caused the change. */
  readonly auditId?: string;
  /** The user who impersonates `user`. */
  readonly impersonator?: string;
  /** The subresource that was requested: `status`, `scale`. */
  readonly subresource?: string;
  /** The newest change that triggered the controller's reconcile. 0 if a timer triggered it. */
  readonly reactsTo?: number;
}

/** A change of the log with its cause. */
export interface PastChange extends Change {
  readonly cause: Cause;
}

export function causeText({ user, origin, auditId, impersonator, subresource, reactsTo }: Cause): string {
  if (auditId === undefined) return JSON.stringify(reactsTo === undefined ? [user, origin] : [user, origin, reactsTo]);
  if (subresource !== undefined) return JSON.stringify([user, origin, auditId, impersonator ?? "", subresource]);
  return JSON.stringify([user, origin, auditId, ...(impersonator === undefined ? [] : [impersonator])]);
}

/** Decodes a cause. Causes of older versions, which have no audit id, are accepted too. */
export function readCause(text: string): Cause {
  // Only `causeText` writes this text.
  const [user = "", origin = "", auditIdOrRevision, impersonator = "", subresource] = JSON.parse(text) as [
    string?,
    string?,
    (string | number)?,
    string?,
    string?,
  ];
  if (typeof auditIdOrRevision === "number") return { user, origin, reactsTo: auditIdOrRevision };
  if (auditIdOrRevision === undefined) return { user, origin };
  const optionalFields = { ...(impersonator === "" ? {} : { impersonator }), ...(subresource ? { subresource } : {}) };
  return { user, origin, auditId: auditIdOrRevision, ...optionalFields };
}
