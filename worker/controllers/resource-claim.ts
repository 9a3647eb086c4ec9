// The resource claim controllers. One removes users that no longer need a claim, and deallocates unused claims. The other creates the
// claims of pods from templates.
import type { Pod, PodResourceClaim, PodResourceClaimStatus } from "../../shared/k8s/api/core-v1.ts";
import type { ResourceClaim, ResourceClaimConsumerReference } from "../../shared/k8s/api/resource-v1.ts";
import { getControllerOf } from "../../shared/k8s/meta.ts";
import {
  claimNameOf,
  claimNamesOf,
  claimOwnershipProblem,
  usesClaims,
  canBeReserved,
  isReservedFor,
} from "../kinds/resource/pod-claims.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import { resourceClaimTemplates } from "../kinds/resource/resource-claim-template.ts";
import { resourceClaims } from "../kinds/resource/resource-claim.ts";
import type { Client } from "../registry/client.ts";
import {
  type ReconcileContext,
  type Request,
  defineController,
  requestOf,
  self,
  watch,
} from "../runtime/controller.ts";
import { hasFinalizer, withoutFinalizer } from "./common/finalizers.ts";
import { ApiError } from "../../shared/k8s/status.ts";

const identity = {
  user: "system:serviceaccount:kube-system:resource-claim-controller",
  component: "resource_claim",
} as const;

/** The finalizer of allocated claims. */
const deleteProtection = "resource.kubernetes.io/delete-protection";

export const resourceClaimController = defineController({
  ...identity,
  name: "resourceclaim-controller",
  watches: [
    self(resourceClaims, (next) => next !== undefined),
    watch<Pod>(pods, function* (next, previous): Generator<Request> {
      const pod = next ?? previous;
      if (!pod || !usesClaims(pod) || (next && !isDone(next))) return;
      const { namespace = "" } = pod.metadata;
      for (const name of claimNamesOf(pod)) yield { namespace, name };
    }),
  ],
  reconcile({ namespace, name }, context) {
    const claim = context.client.get(resourceClaims, namespace, name);
    if (claim) syncClaim(claim, context);
    return undefined;
  },
});

/** Creates claims from templates. Requests are pods. */
export const resourceClaimTemplating = defineController({
  ...identity,
  name: "resourceclaim-controller-pods",
  watches: [
    watch<Pod>(pods, function* (next, _, client): Generator<Request> {
      if (next && podNeedsWork(next, client)) yield requestOf(next);
    }),
    watch(resourceClaimTemplates, function* (next, _, client): Generator<Request> {
      const { namespace = "", name } = next?.metadata ?? {};
      if (!next) return;
      for (const pod of client.each(pods, { namespace })) {
        const usesTemplate = pod.spec.resourceClaims?.some((podClaim) => podClaim.resourceClaimTemplateName === name);
        if (usesTemplate && podNeedsWork(pod, client)) yield requestOf(pod);
      }
    }),
    watch<ResourceClaim>(resourceClaims, function* (next, previous, client): Generator<Request> {
      const { namespace = "", name = "" } = (next ?? previous)?.metadata ?? {};
      for (const pod of client.each(pods, { namespace })) {
        if (claimNamesOf(pod).includes(name) && podNeedsWork(pod, client)) yield requestOf(pod);
      }
    }),
  ],
  reconcile({ namespace, name }, context) {
    const pod = context.client.get(pods, namespace, name);
    if (!pod || !podNeedsWork(pod, context.client)) return undefined;
    reserveClaims(generateClaims(pod, context), context.client);
    return undefined;
  },
});

/** Reports whether a claim of the pod must be created or reserved. A finished or terminating pod needs neither. */
function podNeedsWork(pod: Pod, client: Client): boolean {
  if (!pod.spec.resourceClaims?.length || pod.metadata.deletionTimestamp || isDone(pod)) return false;
  return pod.spec.resourceClaims.some((podClaim) => {
    const claimName = claimNameOf(pod, podClaim);
    if (!claimName) return true;
    const claim = claimName.name && client.get(resourceClaims, pod.metadata.namespace ?? "", claimName.name);
    if (!claim) return claimName.name !== "" && podClaim.resourceClaimTemplateName !== undefined;
    if (claimName.isGenerated && claimOwnershipProblem(pod, claim) !== undefined) return false;
    return mustReserve(pod, claim);
  });
}

function isDone({ metadata, spec, status }: Pod): boolean {
  if (status.phase === "Succeeded" || status.phase === "Failed") return true;
  return metadata.deletionTimestamp !== undefined && !spec.nodeName;
}

function syncClaim(claim: ResourceClaim, { client }: ReconcileContext): void {
  const users = claim.status.reservedFor ?? [];
  const remaining = users.filter((user) => isStillUsed(user, claim, client));
  const isProtected = hasFinalizer(claim, deleteProtection);
  if (remaining.length < users.length) {
    removeUsers(claim, remaining, { isProtected }, client);
  } else if (isProtected && claim.metadata.deletionTimestamp && remaining.length === 0) {
    removeUsers(claim, [], { isProtected: true }, client);
  }
  if (remaining.length > 0) return;
  const owner = getControllerOf(claim);
  if (owner?.apiVersion !== "v1" || owner.kind !== "Pod") return;
  const { namespace = "", name = "", uid = "" } = claim.metadata;
  const pod = client.get(pods, namespace, owner.name);
  // The garbage collector deletes claims of deleted pods.
  if (pod && (pod.metadata.uid !== owner.uid || isDone(pod)))
    client.tryDelete(resourceClaims, namespace, name, { uid });
}

function isStillUsed(
  { apiGroup = "", resource, name, uid }: ResourceClaimConsumerReference,
  { metadata }: ResourceClaim,
  client: Client,
): boolean {
  if (apiGroup !== "" || resource !== "pods") return true;
  const pod = client.get(pods, metadata.namespace ?? "", name);
  return pod !== undefined && pod.metadata.uid === uid && !isDone(pod);
}

/** Sets the remaining users. A claim without users is deallocated, and its finalizer is removed. */
function removeUsers(
  claim: ResourceClaim,
  remaining: ResourceClaimConsumerReference[],
  { isProtected }: { readonly isProtected: boolean },
  client: Client,
): void {
  const { allocation, reservedFor: _, ...rest } = claim.status;
  const isDeallocated = remaining.length === 0 && isProtected;
  const status = {
    ...rest,
    ...(allocation && !isDeallocated ? { allocation } : {}),
    ...(remaining.length > 0 ? { reservedFor: remaining } : {}),
  };
  const changed = client.updateStatus(resourceClaims, { ...claim, status });
  if (!hasFinalizer(changed, deleteProtection) || changed.status.allocation) return;
  client.update(resourceClaims, { ...changed, metadata: withoutFinalizer(changed.metadata, deleteProtection) });
}

/** The annotation of a generated claim. Its value is the name of the entry in the pod's `spec.resourceClaims`. */
const podClaimAnnotation = "resource.kubernetes.io/pod-claim-name";

/** The maximum length of a generateName: a name has 63 characters, of which six are left for the suffix. */
const maxBaseNameLength = 57;

/** Creates the missing claims of a pod and adds their names to its status (upstream's first half of `syncPod`). */
function generateClaims(pod: Pod, { client, event }: ReconcileContext): Pod {
  const statuses: PodResourceClaimStatus[] = [];
  for (const podClaim of pod.spec.resourceClaims ?? []) {
    try {
      const name = ensureClaim(pod, podClaim, client);
      if (name !== undefined) statuses.push({ name: podClaim.name, resourceClaimName: name });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      event(pod, "Warning", "FailedResourceClaimCreation", `PodResourceClaim ${podClaim.name}: ${error.message}`);
      // The creation of the template triggers a reconcile. Other errors are retried.
      if (error.code === 404) return pod;
      throw error;
    }
  }
  if (statuses.length === 0) return pod;
  const otherStatuses = (pod.status.resourceClaimStatuses ?? []).filter(
    ({ name }) => !statuses.some((status) => status.name === name),
  );
  const resourceClaimStatuses = [...otherStatuses, ...statuses];
  return client.updateStatus(pods, { ...pod, status: { ...pod.status, resourceClaimStatuses } });
}

/** Reserves claims for a pod that was bound without the scheduler (upstream's second half of `syncPod`). */
function reserveClaims(pod: Pod, client: Client): void {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  for (const podClaim of pod.spec.resourceClaims ?? []) {
    const claimName = claimNameOf(pod, podClaim);
    const claim = claimName?.name ? client.get(resourceClaims, namespace, claimName.name) : undefined;
    if (!claim || !mustReserve(pod, claim)) continue;
    if (claimName?.isGenerated && claimOwnershipProblem(pod, claim) !== undefined) continue;
    const reservedFor = [...(claim.status.reservedFor ?? []), { resource: "pods", name, uid }];
    client.updateStatus(resourceClaims, { ...claim, status: { ...claim.status, reservedFor } });
  }
}

function mustReserve(pod: Pod, claim: ResourceClaim): boolean {
  if (!pod.spec.nodeName || !claim.status.allocation) return false;
  return !isReservedFor(claim, pod) && canBeReserved(claim);
}

/** Creates the claim of a template unless it exists. Returns its name if the pod's status lacks it; otherwise undefined. */
function ensureClaim(pod: Pod, podClaim: PodResourceClaim, client: Client): string | undefined {
  const { namespace = "", name: podName = "", uid = "" } = pod.metadata;
  const recordedName = claimNameOf(pod, podClaim);
  if (recordedName?.name === "" || podClaim.resourceClaimTemplateName === undefined) return undefined;
  const existing = recordedName && client.get(resourceClaims, namespace, recordedName.name);
  if (existing && claimOwnershipProblem(pod, existing) === undefined) return undefined;
  const owned = client
    .controlledBy(resourceClaims, uid)
    .find(({ metadata }) => metadata.annotations?.[podClaimAnnotation] === podClaim.name);
  if (owned) return owned.metadata.name;
  const template = client.get(resourceClaimTemplates, namespace, podClaim.resourceClaimTemplateName);
  if (!template) {
    const templateName = JSON.stringify(podClaim.resourceClaimTemplateName);
    const message = `resource claim template ${templateName}: resourceclaimtemplate.resource.k8s.io ${templateName} not found`;
    throw new ApiError(404, "NotFound", message);
  }
  const { labels, annotations } = template.spec.metadata;
  try {
    const claim = client.create(resourceClaims, {
      metadata: {
        generateName: baseName(podName, podClaim.name),
        namespace,
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: podName, uid, controller: true }],
        annotations: { ...annotations, [podClaimAnnotation]: podClaim.name },
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

/** Returns the base name from the names of the pod and the claim, both shortened in proportion if too long. */
function baseName(podName: string, claimName: string): string {
  const full = `${podName}-${claimName}-`;
  if (full.length <= maxBaseNameLength) return full;
  const shortPodName = podName.slice(0, Math.floor((podName.length * maxBaseNameLength) / full.length));
  const short = `${shortPodName}-`;
  return short + claimName.slice(0, Math.floor((claimName.length * maxBaseNameLength) / full.length));
}
