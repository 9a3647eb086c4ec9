// What DynamicResources writes about claims before a pod is bound, and when their devices are given back.
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

/** Held while devices are allocated. */
const deleteProtection = "resource.kubernetes.io/delete-protection";

/** Allocates what is not allocated and reserves all for the pod; whether all devices are ready to be used. */
export function bindClaims(cycle: Cycle, node: NodeInfo, context: ReconcileContext): boolean {
  const claims = podClaims(cycle);
  if ("problem" in claims) return true;
  const allocations = allocationsFor(cycle, node, () => context.random.uuid());
  let isWaiting = false;
  let isNew = false;
  for (const claim of claims.all) {
    const found = allocations.find((one) => one.claim.metadata.uid === claim.metadata.uid);
    const bound = isReservedFor(claim, cycle.pod) ? claim : bindClaim(claim, found?.allocation, cycle, context);
    isNew ||= bound !== claim;
    isWaiting ||= !isReady(bound.status);
  }
  if (isWaiting && isNew) {
    const note = `waiting for binding conditions for device on node ${node.name}`;
    context.event(cycle.pod, "Normal", "BindingConditionsPending", note, { action: "Scheduling" });
  }
  return !isWaiting;
}

/** Takes the devices of an idle claim back, so that the next try may find others. */
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
  const held =
    allocation === undefined || finalizers.includes(deleteProtection)
      ? claim
      : client.update(resourceClaims, {
          ...claim,
          metadata: { ...claim.metadata, finalizers: [...finalizers, deleteProtection] },
        });
  const { name = "", uid = "" } = pod.metadata;
  const current = must(allocation ?? held.status.allocation, "devices for a claim whose node was found");
  const reservedFor = [...(held.status.reservedFor ?? []), { resource: "pods", name, uid }];
  const timed = { ...current, allocationTimestamp: current.allocationTimestamp ?? rfc3339(nowMs) };
  return client.updateStatus(resourceClaims, { ...held, status: { ...held.status, allocation: timed, reservedFor } });
}
