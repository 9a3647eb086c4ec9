// Computes the target size of a claim, and the conditions about its expansion. Pure.
import type {
  ClaimResourceStatus,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimCondition,
  PersistentVolumeClaimStatus,
} from "../../../shared/k8s/api/core-v1.ts";
import { compareQuantities, parseQuantity, zeroQuantity } from "../../../shared/k8s/quantity.ts";

const resizeConditions = ["Resizing", "FileSystemResizePending", "ControllerResizeError", "NodeResizeError"];

export function requestedSize({ spec }: PersistentVolumeClaim): string {
  return spec.resources.requests?.["storage"] ?? "0";
}

export function isLarger(a: string | undefined, b: string | undefined): boolean {
  const sizeOf = (text: string | undefined) => parseQuantity(text ?? "0") ?? zeroQuantity;
  return compareQuantities(sizeOf(a), sizeOf(b)) > 0;
}

/** Reports whether a bound claim requests more than its capacity. */
export function isGrowing(claim: PersistentVolumeClaim): boolean {
  return claim.status.phase === "Bound" && isLarger(requestedSize(claim), claim.status.capacity?.["storage"]);
}

/**
 * Returns the size to which the volume is expanded next (upstream's choice in `expandAndRecover`); undefined while a node has to finish its
 * part.
 */
export function nextSize(claim: PersistentVolumeClaim, volume: PersistentVolume): string | undefined {
  const requested = requestedSize(claim);
  const allocated = claim.status.allocatedResources?.["storage"];
  const state = resizeState(claim);
  const isOnNode = state === "NodeResizePending" || state === "NodeResizeInProgress";
  if (isLarger(requested, volume.spec.capacity?.["storage"])) {
    if (state === "NodeResizeInfeasible") return allocated ?? requested;
    if (!isOnNode) return requested;
    const first = allocated ?? requested;
    return isLarger(first, volume.spec.capacity?.["storage"]) ? first : undefined;
  }
  if (isOnNode) return undefined;
  return allocated ?? requested;
}

export function resizeState({ status }: PersistentVolumeClaim): ClaimResourceStatus | undefined {
  return status.allocatedResourceStatuses?.["storage"];
}

/** Sets the state of the expansion in the status. Without a state, the expansion has ended. */
export function withResizeState(
  status: PersistentVolumeClaimStatus,
  state: ClaimResourceStatus | undefined,
): PersistentVolumeClaimStatus {
  const { allocatedResourceStatuses: before, ...rest } = status;
  const { storage: _, ...otherStatuses } = before ?? {};
  const next = state === undefined ? otherStatuses : { ...otherStatuses, storage: state };
  return Object.keys(next).length > 0 ? { ...rest, allocatedResourceStatuses: next } : rest;
}

export function mergeResizeConditionsOfPVC(
  status: PersistentVolumeClaimStatus,
  added: readonly PersistentVolumeClaimCondition[],
  { keepsOld }: { readonly keepsOld: boolean },
): PersistentVolumeClaimStatus {
  const { conditions: before = [], ...rest } = status;
  const updated = before.flatMap((condition) => {
    if (!resizeConditions.includes(condition.type)) return [condition];
    const replaced = added.find(({ type }) => type === condition.type);
    return replaced ? [replaced] : keepsOld ? [condition] : [];
  });
  const conditions = [...updated, ...added.filter(({ type }) => !before.some((condition) => condition.type === type))];
  return conditions.length > 0 ? { ...rest, conditions } : rest;
}
