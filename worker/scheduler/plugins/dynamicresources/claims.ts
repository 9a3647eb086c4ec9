// The claims of a pod, and the classes that they name.
import type { ResourceClaim } from "../../../../shared/k8s/api/resource-v1.ts";
import { claimNameOf, claimOwnershipProblem } from "../../../kinds/resource/pod-claims.ts";
import type { DeviceLister } from "../../listers.ts";
import type { Cycle } from "../../framework.ts";
import type { ClaimToAllocate } from "./allocate.ts";
import { type ClassedRequest, alternativesOf, resultName } from "./requests.ts";

export interface ClaimProblem {
  readonly problem: string;
  /** Of the claim itself, and not of what is there. */
  readonly isError?: boolean;
}

/** All of them, or why the pod cannot be tried without them. */
export function podClaims({
  pod,
  devices,
}: Pick<Cycle, "pod" | "devices">): { readonly all: readonly ResourceClaim[] } | ClaimProblem {
  const { namespace = "", name: podName = "" } = pod.metadata;
  const all: ResourceClaim[] = [];
  for (const one of pod.spec.resourceClaims ?? []) {
    const named = claimNameOf(pod, one);
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

/** Those that have no devices yet, with the classes of their requests. */
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
      for (const one of alternativesOf(request)) {
        const found = devices.deviceClass(one.className);
        if (!found) return { problem: `request ${resultName(one)}: device class ${one.className} does not exist` };
        classed.push({ ...one, class: found });
      }
      requests.push(classed);
    }
    claims.push({ claim, requests });
  }
  return { claims };
}
