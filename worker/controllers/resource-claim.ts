// The resource claim controller: who no longer uses a claim is struck off, and a claim that nobody uses loses its devices.
// Its other half makes the claims that pods want from templates.
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

/** Held while devices are allocated. */
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

/** Requests are pods. */
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
        const isMeant = pod.spec.resourceClaims?.some((one) => one.resourceClaimTemplateName === name);
        if (isMeant && podNeedsWork(pod, client)) yield requestOf(pod);
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

/** For a pod that is done the claim that went with it is not made again. */
function podNeedsWork(pod: Pod, client: Client): boolean {
  if (!pod.spec.resourceClaims?.length || pod.metadata.deletionTimestamp || isDone(pod)) return false;
  return pod.spec.resourceClaims.some((one) => {
    const known = claimNameOf(pod, one);
    if (!known) return true;
    const claim = known.name && client.get(resourceClaims, pod.metadata.namespace ?? "", known.name);
    if (!claim) return known.name !== "" && one.resourceClaimTemplateName !== undefined;
    if (known.isGenerated && claimOwnershipProblem(pod, claim) !== undefined) return false;
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
  const isHeld = hasFinalizer(claim, deleteProtection);
  if (remaining.length < users.length) {
    strikeOff(claim, remaining, isHeld, client);
  } else if (isHeld && claim.metadata.deletionTimestamp && remaining.length === 0) {
    strikeOff(claim, [], true, client);
  }
  if (remaining.length > 0) return;
  const owner = getControllerOf(claim);
  if (owner?.apiVersion !== "v1" || owner.kind !== "Pod") return;
  const { namespace = "", name = "", uid = "" } = claim.metadata;
  const pod = client.get(pods, namespace, owner.name);
  // The garbage collector sees to a claim whose pod is gone.
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

/** With its last user a claim loses its devices, and what kept it. */
function strikeOff(
  claim: ResourceClaim,
  remaining: ResourceClaimConsumerReference[],
  isHeld: boolean,
  client: Client,
): void {
  const { allocation, reservedFor: _, ...rest } = claim.status;
  const isFreed = remaining.length === 0 && isHeld;
  const status = {
    ...rest,
    ...(allocation && !isFreed ? { allocation } : {}),
    ...(remaining.length > 0 ? { reservedFor: remaining } : {}),
  };
  const changed = client.updateStatus(resourceClaims, { ...claim, status });
  if (!hasFinalizer(changed, deleteProtection) || changed.status.allocation) return;
  client.update(resourceClaims, { ...changed, metadata: withoutFinalizer(changed.metadata, deleteProtection) });
}

/** On a generated claim: which of the pod's it is. */
const podClaimAnnotation = "resource.kubernetes.io/pod-claim-name";

/** Leaves room for a hyphen and five characters in a name of 63. */
const maxBase = 57;

/** Upstream's first half of `syncPod`. The pod as it is then. */
function generateClaims(pod: Pod, { client, event }: ReconcileContext): Pod {
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
function reserveClaims(pod: Pod, client: Client): void {
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

function mustReserve(pod: Pod, claim: ResourceClaim): boolean {
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
