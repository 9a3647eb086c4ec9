// DeleteOptions: what they may be, and what they ask of a deletion.
import type { DeleteOptions, ObjectMeta } from "./api/meta-v1.ts";
import { invalid, notSupported, notSupportedInOrder, path } from "./field.ts";
import { ApiError, type GroupName } from "./status.ts";

export interface DeleteQuery {
  /** Precondition. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly gracePeriodSeconds?: number;
  readonly propagation?: "Background" | "Foreground" | "Orphan";
  /** Said in the old way: dependents are not orphaned. */
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

/** What is there must be what the preconditions name. */
export function refuseOtherThan(
  { name = "", uid = "", resourceVersion = "" }: ObjectMeta,
  wanted: { readonly uid: string | undefined; readonly resourceVersion: string | undefined },
  kind: GroupName,
): void {
  if (wanted.uid !== undefined && wanted.uid !== uid) {
    const why = `the UID in the precondition (${wanted.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw ApiError.conflict(kind, name, why);
  }
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion) {
    const why = `the ResourceVersion in the precondition (${wanted.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
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
  if (dryRun.some((one) => one !== "All")) errors.push(notSupported(path("dryRun"), dryRun, ["All"]));
  if (errors.length > 0) throw ApiError.invalid({ group: "meta.k8s.io", name: "DeleteOptions" }, "", errors);
}

function propagationOf({ orphanDependents, propagationPolicy }: Partial<DeleteOptions>): DeleteQuery["propagation"] {
  if (orphanDependents !== undefined) return orphanDependents ? "Orphan" : "Background";
  // check has refused everything else.
  return propagationPolicy as DeleteQuery["propagation"];
}
