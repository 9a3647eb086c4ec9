// The claims that a pod gets from templates, and its place among the users of those that have their devices.
import type { Pod, PodResourceClaim, PodResourceClaimStatus } from "../../../../shared/k8s/api/core-v1.ts";
import type { ResourceClaim } from "../../../../shared/k8s/api/resource-v1.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import {
  canBeReserved,
  claimNameOf,
  claimOwnershipProblem,
  isReservedFor,
} from "../../../kinds/resource/pod-claims.ts";
import { pods } from "../../../kinds/core/pod/pod.ts";
import { resourceClaimTemplates } from "../../../kinds/resource/resource-claim-template.ts";
import { resourceClaims } from "../../../kinds/resource/resource-claim.ts";
import type { Client } from "../../../registry/client.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";

/** On a generated claim: which of the pod's it is. */
const podClaimAnnotation = "resource.kubernetes.io/pod-claim-name";

/** Leaves room for a hyphen and five characters in a name of 63. */
const maxBase = 57;

/** Upstream's first half of `syncPod`. The pod as it is then. */
export function generateClaims(pod: Pod, { client, event }: ReconcileContext): Pod {
  const made: PodResourceClaimStatus[] = [];
  for (const one of pod.spec.resourceClaims ?? []) {
    try {
      const name = ensureClaim(pod, one, client);
      if (name !== undefined) made.push({ name: one.name, resourceClaimName: name });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      event(pod, "Warning", "FailedResourceClaimCreation", `PodResourceClaim ${one.name}: ${error.message}`);
      // A template that comes is seen; all else is tried again.
      if (error.code === 404) return pod;
      throw error;
    }
  }
  if (made.length === 0) return pod;
  const others = (pod.status.resourceClaimStatuses ?? []).filter(({ name }) => !made.some((one) => one.name === name));
  const resourceClaimStatuses = [...others, ...made];
  return client.updateStatus(pods, { ...pod, status: { ...pod.status, resourceClaimStatuses } });
}

/** Upstream's second half: a pod that was placed without the scheduler still has to be among the users. */
export function reserveClaims(pod: Pod, client: Client): void {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  for (const one of pod.spec.resourceClaims ?? []) {
    const known = claimNameOf(pod, one);
    const claim = known?.name ? client.get(resourceClaims, namespace, known.name) : undefined;
    if (!claim || !mustReserve(pod, claim)) continue;
    if (known?.isGenerated && claimOwnershipProblem(pod, claim) !== undefined) continue;
    const reservedFor = [...(claim.status.reservedFor ?? []), { resource: "pods", name, uid }];
    client.updateStatus(resourceClaims, { ...claim, status: { ...claim.status, reservedFor } });
  }
}

export function mustReserve(pod: Pod, claim: ResourceClaim): boolean {
  if (!pod.spec.nodeName || !claim.status.allocation) return false;
  return !isReservedFor(claim, pod) && canBeReserved(claim);
}

/** The name of a claim that the pod's status does not tell yet. */
function ensureClaim(pod: Pod, one: PodResourceClaim, client: Client): string | undefined {
  const { namespace = "", name: podName = "", uid = "" } = pod.metadata;
  const known = claimNameOf(pod, one);
  if (known?.name === "" || one.resourceClaimTemplateName === undefined) return undefined;
  const there = known && client.get(resourceClaims, namespace, known.name);
  if (there && claimOwnershipProblem(pod, there) === undefined) return undefined;
  const owned = client
    .controlledBy(resourceClaims, uid)
    .find(({ metadata }) => metadata.annotations?.[podClaimAnnotation] === one.name);
  if (owned) return owned.metadata.name;
  const template = client.get(resourceClaimTemplates, namespace, one.resourceClaimTemplateName);
  if (!template) {
    const wanted = JSON.stringify(one.resourceClaimTemplateName);
    const why = `resource claim template ${wanted}: resourceclaimtemplate.resource.k8s.io ${wanted} not found`;
    throw new ApiError(404, "NotFound", why);
  }
  const { labels, annotations } = template.spec.metadata;
  try {
    const claim = client.create(resourceClaims, {
      metadata: {
        generateName: baseName(podName, one.name),
        namespace,
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: podName, uid, controller: true }],
        annotations: { ...annotations, [podClaimAnnotation]: one.name },
        ...(labels ? { labels } : {}),
      },
      spec: template.spec.spec,
    });
    return claim.metadata.name;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(error.code, error.reason, `create ResourceClaim : ${error.message}`);
  }
}

/** The pod's and the claim's name, each shortened in proportion where both are too long together. */
function baseName(podName: string, claimName: string): string {
  const full = `${podName}-${claimName}-`;
  if (full.length <= maxBase) return full;
  const shortened = podName.slice(0, Math.floor((podName.length * maxBase) / full.length));
  const short = `${shortened}-`;
  return short + claimName.slice(0, Math.floor((claimName.length * maxBase) / full.length));
}
