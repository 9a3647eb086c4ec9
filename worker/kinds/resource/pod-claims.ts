// Which ResourceClaims a pod uses (upstream: `dynamic-resource-allocation/resourceclaim`). Pure.
import type { Pod, PodResourceClaim } from "../../../shared/k8s/api/core-v1.ts";
import type { ResourceClaim } from "../../../shared/k8s/api/resource-v1.ts";
import { getControllerOf } from "../../../shared/k8s/meta.ts";

export interface ClaimName {
  readonly name: string;
  /** Made for this pod from a template. */
  readonly isGenerated: boolean;
}

/** Undefined while the claim was not made yet, "" where none is needed. */
export function claimNameOf({ status }: Pod, claim: PodResourceClaim): ClaimName | undefined {
  if (claim.resourceClaimName !== undefined) return { name: claim.resourceClaimName, isGenerated: false };
  const found = status.resourceClaimStatuses?.find(({ name }) => name === claim.name);
  return found && { name: found.resourceClaimName ?? "", isGenerated: true };
}

/** Those that are known, also the one that stands for extended resources. */
export function claimNamesOf(pod: Pod): readonly string[] {
  const extended = pod.status.extendedResourceClaimStatus?.resourceClaimName;
  const named = (pod.spec.resourceClaims ?? []).map((one) => claimNameOf(pod, one)?.name ?? "");
  return [...named, extended ?? ""].filter(Boolean);
}

export function usesClaims({ spec, status }: Pod): boolean {
  return (spec.resourceClaims?.length ?? 0) > 0 || status.extendedResourceClaimStatus !== undefined;
}

/** Upstream's `IsForPod`: why a generated claim is not the pod's own. */
export function claimOwnershipProblem(pod: Pod, claim: ResourceClaim): string | undefined {
  if (getControllerOf(claim)?.uid === pod.metadata.uid) return undefined;
  const keyOf = ({ metadata: { namespace = "", name = "" } }: Pod | ResourceClaim) => `${namespace}/${name}`;
  return `ResourceClaim ${keyOf(claim)} was not created for Pod ${keyOf(pod)} (Pod is not owner)`;
}

export function isReservedFor(claim: ResourceClaim, pod: Pod): boolean {
  return claim.status.reservedFor?.some(({ uid }) => uid === pod.metadata.uid) ?? false;
}

/** A claim may be reserved for so many users. */
const maxUsers = 256;

export function canBeReserved({ status }: ResourceClaim): boolean {
  return (status.reservedFor?.length ?? 0) < maxUsers;
}
