// Who made a change and why, as a short text beside it in the log.
import type { Change } from "./change.ts";

/**
 * `["jane","patch","<audit id>"]`, with the name of who acted as Jane after it ("" for nobody), and then the subresource; `["system:...:replicaset","replicaset:default/web-1",41]`
 * of a controller; `["kubernetes-admin","manifests"]` of what the service did for the sandbox.
 */
export interface Cause {
  readonly user: string;
  /** What was asked (`create`, `patch`, ...) or the reconcile (`replicaset:default/web-1`). */
  readonly origin: string;
  /** The `Audit-Id` of the request that it belongs to; absent where no request did it. */
  readonly auditId?: string;
  /** Who acted as the user. */
  readonly impersonator?: string;
  /** Of a request to one: `status`, `scale`. */
  readonly subresource?: string;
  /** Of a controller: the newest change that its reconcile was asked for by; 0 where none did, as when a time had come. */
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

/** Also of what older versions wrote, who knew no request. */
export function readCause(text: string): Cause {
  // `causeText` wrote it.
  const [user = "", origin = "", of, impersonator = "", subresource] = JSON.parse(text) as [
    string?,
    string?,
    (string | number)?,
    string?,
    string?,
  ];
  if (typeof of === "number") return { user, origin, reactsTo: of };
  if (of === undefined) return { user, origin };
  const further = { ...(impersonator === "" ? {} : { impersonator }), ...(subresource ? { subresource } : {}) };
  return { user, origin, auditId: of, ...further };
}
