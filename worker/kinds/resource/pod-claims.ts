// Finds the ResourceClaims of a pod (upstream: `dynamic-resource-allocation/resourceclaim`). Pure.
import type { Pod, PodResourceClaim } from "../../../shared/k8s/api/core-v1.ts";
import type { ResourceClaim } from "../../../shared/k8s/api/resource-v1.ts";
import { getControllerOf } from "../../../shared/k8s/meta.ts";

export interface ClaimName {
  readonly name: string;
  /** Whether the claim was created for this pod from a template. */
  readonly isGenerated: boolean;
}

/** Returns the name of a claim: undefined if the claim was not created yet, "" if none is needed. */
export function claimNameOf({ status }: Pod, claim: PodResourceClaim): ClaimName | undefined {
  if (claim.resourceClaimName !== undefined) return { name: claim.resourceClaimName, isGenerated: false };
  const claimStatus = status.resourceClaimStatuses?.find(({ name }) => name === claim.name);
  return claimStatus && { name: claimStatus.resourceClaimName ?? "", isGenerated: true };
}

/** Returns the known names, including the claim for extended resources. */
export function claimNamesOf(pod: Pod): readonly string[] {
  const extended = pod.status.extendedResourceClaimStatus?.resourceClaimName;
  const named = (pod.spec.resourceClaims ?? []).map((podClaim) => claimNameOf(pod, podClaim)?.name ?? "");
  return [...named, extended ?? ""].filter(Boolean);
}

export function usesClaims({ spec, status }: Pod): boolean {
  return (spec.resourceClaims?.length ?? 0) > 0 || status.extendedResourceClaimStatus !== undefined;
}

/** Returns why a generated claim does not belong to the pod (upstream's `IsForPod`). */
export function claimOwnershipProblem(pod: Pod, claim: ResourceClaim): string | undefined {
  if (getControllerOf(claim)?.uid === pod.metadata.uid) return undefined;
  const keyOf = ({ metadata: { namespace = "", name = "" } }: Pod | ResourceClaim) => `${namespace}/${name}`;
  return `ResourceClaim ${keyOf(claim)} was not created for Pod ${keyOf(pod)} (Pod is not owner)`;
}

export function isReservedFor(claim: ResourceClaim, pod: Pod): boolean {
  return claim.status.reservedFor?.some(({ uid }) => uid === pod.metadata.uid) ?? false;
}

/** The maximum number of users of a claim. */
const maxUsers = 256;

export function canBeReserved({ status }: ResourceClaim): boolean {
  return (status.reservedFor?.length ?? 0) < maxUsers;
}
