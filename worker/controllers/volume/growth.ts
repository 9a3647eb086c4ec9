// How large a claim is to be, and the conditions that tell how far that is. Pure.
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

/** A bound claim that asks for more than it has. */
export function isGrowing(claim: PersistentVolumeClaim): boolean {
  return claim.status.phase === "Bound" && isLarger(requestedSize(claim), claim.status.capacity?.["storage"]);
}

/**
 * Upstream's choice in `expandAndRecover`: to which size the volume is to grow now; undefined while a node has yet to do its part.
 */
export function nextSize(claim: PersistentVolumeClaim, volume: PersistentVolume): string | undefined {
  const asked = requestedSize(claim);
  const allocated = claim.status.allocatedResources?.["storage"];
  const state = resizeState(claim);
  const isOnNode = state === "NodeResizePending" || state === "NodeResizeInProgress";
  if (isLarger(asked, volume.spec.capacity?.["storage"])) {
    if (state === "NodeResizeInfeasible") return allocated ?? asked;
    if (!isOnNode) return asked;
    const first = allocated ?? asked;
    return isLarger(first, volume.spec.capacity?.["storage"]) ? first : undefined;
  }
  if (isOnNode) return undefined;
  return allocated ?? asked;
}

export function resizeState({ status }: PersistentVolumeClaim): ClaimResourceStatus | undefined {
  return status.allocatedResourceStatuses?.["storage"];
}

/** The status with this state of its growth; without one it has ended. */
export function withResizeState(
  status: PersistentVolumeClaimStatus,
  state: ClaimResourceStatus | undefined,
): PersistentVolumeClaimStatus {
  const { allocatedResourceStatuses: before, ...rest } = status;
  const { storage: _, ...others } = before ?? {};
  const next = state === undefined ? others : { ...others, storage: state };
  return Object.keys(next).length > 0 ? { ...rest, allocatedResourceStatuses: next } : rest;
}

export function mergeResizeConditionsOfPVC(
  status: PersistentVolumeClaimStatus,
  added: readonly PersistentVolumeClaimCondition[],
  keepsOld: boolean,
): PersistentVolumeClaimStatus {
  const { conditions: before = [], ...rest } = status;
  const kept = before.flatMap((one) => {
    if (!resizeConditions.includes(one.type)) return [one];
    const replaced = added.find(({ type }) => type === one.type);
    return replaced ? [replaced] : keepsOld ? [one] : [];
  });
  const conditions = [...kept, ...added.filter(({ type }) => !before.some((one) => one.type === type))];
  return conditions.length > 0 ? { ...rest, conditions } : rest;
}
