// The device claims of a pod, and why they cannot be prepared, in the kubelet's words. Simulated nodes have every driver, so a claim
// that is allocated and reserved can always be prepared.
import type { Pod, PodResourceClaim } from "../../../shared/k8s/api/core-v1.ts";
import { claimNameOf } from "../../kinds/resource/pod-claims.ts";
import type { Lookup, Problem } from "./references.ts";

/** Returns why the pod's device claims cannot be prepared (upstream: `prepareResources`). */
export function prepareProblem(pod: Pod, lookup: Lookup): Problem | undefined {
  const extended = pod.status.extendedResourceClaimStatus?.resourceClaimName;
  const claims: PodResourceClaim[] = [...(pod.spec.resourceClaims ?? [])];
  if (extended) claims.push({ name: extended, resourceClaimName: extended });
  for (const claim of claims) {
    const problem = claimProblem(pod, claim, lookup);
    if (!problem) continue;
    const message = `Failed to prepare dynamic resources: prepare dynamic resources: ${problem.message}`;
    return { ...problem, message, reason: "FailedPrepareDynamicResources" };
  }
  return undefined;
}

function claimProblem(pod: Pod, claim: PodResourceClaim, lookup: Lookup): Problem | undefined {
  const { namespace = "", name: podName = "", uid = "" } = pod.metadata;
  const claimName = claimNameOf(pod, claim);
  // The pod's own status will name the claim.
  if (!claimName) return { message: `pod "${namespace}/${podName}": ResourceClaim not created yet`, waitsFor: "" };
  const { name, isGenerated } = claimName;
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
