// The validation of DeleteOptions, and the deletion that they describe.
import type { DeleteOptions, ObjectMeta } from "./api/meta-v1.ts";
import { invalid, notSupported, notSupportedInOrder, path } from "./field.ts";
import { ApiError, type GroupName } from "./status.ts";

export interface DeleteQuery {
  /** Precondition. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly gracePeriodSeconds?: number;
  readonly propagation?: "Background" | "Foreground" | "Orphan";
  /** Set by the deprecated `orphanDependents: false`: dependents are not orphaned. */
  readonly deletesDependents?: true;
}

export function deleteQueryOf(options: Partial<DeleteOptions>): DeleteQuery {
  check(options);
  const { gracePeriodSeconds, preconditions: { uid, resourceVersion } = {} } = options;
  const propagation = propagationOf(options);
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(propagation ? { propagation } : {}),
    ...(options.orphanDependents === false ? { deletesDependents: true as const } : {}),
  };
}

/** Throws 409 if the existing object does not match the preconditions. */
export function refuseOtherThan(
  { name = "", uid = "", resourceVersion = "" }: ObjectMeta,
  preconditions: { readonly uid: string | undefined; readonly resourceVersion: string | undefined },
  kind: GroupName,
): void {
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    const why = `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw ApiError.conflict(kind, name, why);
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    const why = `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw ApiError.conflict(kind, name, why);
  }
}

/** Upstream's ValidateDeleteOptions. */
function check(options: Partial<DeleteOptions>): void {
  const errors = [];
  const { orphanDependents, propagationPolicy: policy, dryRun = [] } = options;
  if (orphanDependents !== undefined && policy !== undefined) {
    errors.push(
      invalid(path("propagationPolicy"), policy, "orphanDependents and deletionPropagation cannot be both set"),
    );
  }
  if (policy !== undefined && !["Background", "Foreground", "Orphan"].includes(policy)) {
    errors.push(notSupportedInOrder(path("propagationPolicy"), policy, ["Foreground", "Background", "Orphan", "nil"]));
  }
  if (dryRun.some((value) => value !== "All")) errors.push(notSupported(path("dryRun"), dryRun, ["All"]));
  if (errors.length > 0) throw ApiError.invalid({ group: "meta.k8s.io", name: "DeleteOptions" }, "", errors);
}

function propagationOf({ orphanDependents, propagationPolicy }: Partial<DeleteOptions>): DeleteQuery["propagation"] {
  if (orphanDependents !== undefined) return orphanDependents ? "Orphan" : "Background";
  // check has refused everything else.
  return propagationPolicy as DeleteQuery["propagation"];
}
