// Writes the claims of a pod: allocates and reserves them before the pod is bound, and deallocates one that keeps the pod from a node.
import type { AllocationResult, ResourceClaim } from "../../../../shared/k8s/api/resource-v1.ts";
import { must } from "../../../../shared/base/assert.ts";
import { rfc3339 } from "../../../../shared/k8s/time.ts";
import { isReservedFor } from "../../../kinds/resource/pod-claims.ts";
import { resourceClaims } from "../../../kinds/resource/resource-claim.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import { podClaims } from "./claims.ts";
import { isReady } from "./binding.ts";
import { allocationsFor } from "./allocations.ts";
import type { NodeInfo } from "../../node-info.ts";
import type { Cycle } from "../../framework.ts";

/** The finalizer of allocated claims. */
const deleteProtection = "resource.kubernetes.io/delete-protection";

/** Allocates and reserves the pod's claims. Returns whether all devices are ready. */
export function bindClaims(cycle: Cycle, node: NodeInfo, context: ReconcileContext): boolean {
  const claims = podClaims(cycle);
  // PreFilter rejects a pod whose claims have a problem, so none reaches this point.
  if ("problem" in claims) return true;
  const allocations = allocationsFor(cycle, node, () => context.random.uuid());
  let isWaiting = false;
  let hasBoundNow = false;
  for (const claim of claims.all) {
    const claimAllocation = allocations.find((candidate) => candidate.claim.metadata.uid === claim.metadata.uid);
    const boundClaim = isReservedFor(claim, cycle.pod)
      ? claim
      : bindClaim(claim, claimAllocation?.allocation, cycle, context);
    hasBoundNow ||= boundClaim !== claim;
    isWaiting ||= !isReady(boundClaim.status);
  }
  if (isWaiting && hasBoundNow) {
    const note = `waiting for binding conditions for device on node ${node.name}`;
    context.event(cycle.pod, "Normal", "BindingConditionsPending", note, { action: "Scheduling" });
  }
  return !isWaiting;
}

/** Deallocates an idle claim, so that the next attempt may find other devices. */
export function deallocate(claim: ResourceClaim, { client }: ReconcileContext): void {
  const { reservedFor: _users, allocation: _allocation, devices: _devices, ...status } = claim.status;
  client.updateStatus(resourceClaims, { ...claim, status });
}

function bindClaim(
  claim: ResourceClaim,
  allocation: AllocationResult | undefined,
  { pod }: Cycle,
  { client, nowMs }: ReconcileContext,
): ResourceClaim {
  const { finalizers = [] } = claim.metadata;
  const protectedClaim =
    allocation === undefined || finalizers.includes(deleteProtection)
      ? claim
      : client.update(resourceClaims, {
          ...claim,
          metadata: { ...claim.metadata, finalizers: [...finalizers, deleteProtection] },
        });
  const { name = "", uid = "" } = pod.metadata;
  const chosenAllocation = must(
    allocation ?? protectedClaim.status.allocation,
    "devices for a claim whose node was found",
  );
  const reservedFor = [...(protectedClaim.status.reservedFor ?? []), { resource: "pods", name, uid }];
  const withTimestamp = {
    ...chosenAllocation,
    allocationTimestamp: chosenAllocation.allocationTimestamp ?? rfc3339(nowMs),
  };
  return client.updateStatus(resourceClaims, {
    ...protectedClaim,
    status: { ...protectedClaim.status, allocation: withTimestamp, reservedFor },
  });
}
