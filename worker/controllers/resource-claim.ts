// The resource claim controller: who no longer uses a claim is struck off, and a claim that nobody uses loses its devices.
// Its other half makes the claims that pods want from templates.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { ResourceClaim, ResourceClaimConsumerReference } from "../../shared/k8s/api/resource-v1.ts";
import { controllerOf } from "../../shared/k8s/meta.ts";
import { claimNameOf, claimNamesOf, claimOwnershipProblem, usesClaims } from "../kinds/resource/pod-claims.ts";
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
import { generateClaims, mustReserve, reserveClaims } from "./parts/devices/generated-claims.ts";
import { hasFinalizer, withoutFinalizer } from "./parts/finalizers.ts";

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
      if (next && needsWork(next, client)) yield requestOf(next);
    }),
    watch(resourceClaimTemplates, function* (next, _, client): Generator<Request> {
      const { namespace = "", name } = next?.metadata ?? {};
      if (!next) return;
      for (const pod of client.each(pods, { namespace })) {
        const isMeant = pod.spec.resourceClaims?.some((one) => one.resourceClaimTemplateName === name);
        if (isMeant && needsWork(pod, client)) yield requestOf(pod);
      }
    }),
    watch<ResourceClaim>(resourceClaims, function* (next, previous, client): Generator<Request> {
      const { namespace = "", name = "" } = (next ?? previous)?.metadata ?? {};
      for (const pod of client.each(pods, { namespace })) {
        if (claimNamesOf(pod).includes(name) && needsWork(pod, client)) yield requestOf(pod);
      }
    }),
  ],
  reconcile({ namespace, name }, context) {
    const pod = context.client.get(pods, namespace, name);
    if (!pod || !needsWork(pod, context.client)) return undefined;
    reserveClaims(generateClaims(pod, context), context.client);
    return undefined;
  },
});

/** Upstream's `podNeedsWork`; for a pod that is done the claim that went with it is not made again. */
function needsWork(pod: Pod, client: Client): boolean {
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
  const owner = controllerOf(claim);
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
