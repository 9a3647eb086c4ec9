// Finds the claims of a pod, and the device classes that they name.
import type { ResourceClaim } from "../../../../shared/k8s/api/resource-v1.ts";
import { claimNameOf, claimOwnershipProblem } from "../../../kinds/resource/pod-claims.ts";
import type { DeviceLister } from "../../listers.ts";
import type { Cycle } from "../../framework.ts";
import type { ClaimToAllocate } from "./allocate.ts";
import { type ClassedRequest, alternativesOf, resultName } from "./requests.ts";

export interface ClaimProblem {
  readonly problem: string;
  /** Whether the problem is in the claim itself, not in the cluster's state. */
  readonly isError?: boolean;
}

/** Returns all claims of a pod, or the reason why it cannot be scheduled. */
export function podClaims({
  pod,
  devices,
}: Pick<Cycle, "pod" | "devices">): { readonly all: readonly ResourceClaim[] } | ClaimProblem {
  const { namespace = "", name: podName = "" } = pod.metadata;
  const all: ResourceClaim[] = [];
  for (const podClaim of pod.spec.resourceClaims ?? []) {
    const named = claimNameOf(pod, podClaim);
    if (!named) return { problem: `pod "${namespace}/${podName}": ResourceClaim not created yet` };
    if (named.name === "") continue;
    const claim = devices.claim(namespace, named.name);
    if (!claim) return { problem: `could not find v1.ResourceClaim "${namespace}/${named.name}"` };
    if (claim.metadata.deletionTimestamp)
      return { problem: `resourceclaim ${JSON.stringify(named.name)} is being deleted` };
    const problem = named.isGenerated ? claimOwnershipProblem(pod, claim) : undefined;
    if (problem !== undefined) return { problem };
    all.push(claim);
  }
  return { all };
}

/** Returns the unallocated claims with the classes of their requests. */
export function classedClaims(
  all: readonly ResourceClaim[],
  devices: DeviceLister,
): { readonly claims: readonly ClaimToAllocate[] } | ClaimProblem {
  const claims: ClaimToAllocate[] = [];
  for (const claim of all) {
    if (claim.status.allocation) continue;
    const requests: ClassedRequest[][] = [];
    for (const request of claim.spec.devices.requests) {
      const classed: ClassedRequest[] = [];
      for (const alternative of alternativesOf(request)) {
        const deviceClass = devices.deviceClass(alternative.className);
        if (!deviceClass)
          return {
            problem: `request ${resultName(alternative)}: device class ${alternative.className} does not exist`,
          };
        classed.push({ ...alternative, class: deviceClass });
      }
      requests.push(classed);
    }
    claims.push({ claim, requests });
  }
  return { claims };
}
