// The claims of devices that a pod has, and why they cannot be prepared, in the kubelet's words. On simulated nodes every driver
// counts as there: what is allocated and reserved can be prepared.
import type { Pod, PodResourceClaim } from "../../../shared/k8s/api/core-v1.ts";
import { claimNameOf } from "../../kinds/resource/pod-claims.ts";
import type { Lookup, Problem } from "./references.ts";

/** Upstream's `prepareResources`. */
export function prepareProblem(pod: Pod, lookup: Lookup): Problem | undefined {
  const extended = pod.status.extendedResourceClaimStatus?.resourceClaimName;
  const claims: PodResourceClaim[] = [...(pod.spec.resourceClaims ?? [])];
  if (extended) claims.push({ name: extended, resourceClaimName: extended });
  for (const one of claims) {
    const found = claimProblem(pod, one, lookup);
    if (!found) continue;
    const message = `Failed to prepare dynamic resources: prepare dynamic resources: ${found.message}`;
    return { ...found, message, reason: "FailedPrepareDynamicResources" };
  }
  return undefined;
}

function claimProblem(pod: Pod, one: PodResourceClaim, lookup: Lookup): Problem | undefined {
  const { namespace = "", name: podName = "", uid = "" } = pod.metadata;
  const known = claimNameOf(pod, one);
  // The pod's own status will tell.
  if (!known) return { message: `pod "${namespace}/${podName}": ResourceClaim not created yet`, waitsFor: "" };
  const { name, isGenerated } = known;
  if (name === "") return undefined;
  const waitsFor = `resourceclaim/${namespace}/${name}`;
  const facts = lookup("resourceclaim", namespace, name);
  const problem = (message: string) => ({ message, waitsFor });
  if (!facts) return problem(`fetch ResourceClaim ${name}: resourceclaims.resource.k8s.io "${name}" not found`);
  if (isGenerated && !facts.includes(`owner/${uid}`)) {
    const whose = `was not created for Pod ${namespace}/${podName} (Pod is not owner)`;
    return problem(`ResourceClaim ${namespace}/${name} ${whose}`);
  }
  if (!facts.includes(`user/${uid}`)) {
    const [claimUid = ""] = facts;
    return problem(`pod ${podName} (${uid}) is not allowed to use ResourceClaim ${name} (${claimUid})`);
  }
  if (facts.includes("allocated")) return undefined;
  return problem(`ResourceClaim ${name}: not allocated`);
}
