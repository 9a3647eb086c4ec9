// Computes the devices that a pod's claims would get on a node.
import type { AllocationResult, ResourceClaim } from "../../../../shared/k8s/api/resource-v1.ts";
import { type Cycle, type Status, errorStatus, unschedulableAndUnresolvable } from "../../framework.ts";
import type { NodeInfo } from "../../node-info.ts";
import { type Allocated, type TakenDevice, allocate, allocatedIn } from "./allocate.ts";
import { type ClaimProblem, classedClaims, podClaims } from "./claims.ts";
import { poolsFor } from "./pools.ts";
import { allocationResult } from "./result.ts";

/** Returns the unallocated claims with the devices that they would get on a node. Computed on each call, so never stale. */
export function allocationsFor(
  cycle: Cycle,
  node: NodeInfo,
  shareId: () => string,
): readonly { readonly claim: ResourceClaim; readonly allocation: AllocationResult }[] {
  const claims = podClaims(cycle);
  const classed = "problem" in claims ? claims : classedClaims(claims.all, cycle.devices);
  const choose = "problem" in classed ? undefined : chooser(cycle, classed.claims);
  const chosen = choose?.(node);
  if ("problem" in classed || !chosen || !("taken" in chosen)) return [];
  return classed.claims.map(({ claim }, at) => {
    const claimDevices = chosen.taken.filter(({ claimAt }) => claimAt === at);
    return { claim, allocation: allocationResult(claim, claimDevices, node.name, shareId) };
  });
}

type Chosen = { readonly taken: readonly TakenDevice[] } | { readonly status: Status };
type Classed = Exclude<ReturnType<typeof classedClaims>, ClaimProblem>;

/** Returns a function that selects devices on a node, cached by node. Undefined if nothing needs to be allocated. */
export function chooser(
  { devices, meter }: Cycle,
  claims: Classed["claims"],
): ((node: NodeInfo) => Chosen) | undefined {
  if (claims.length === 0) return undefined;
  const slices = devices.slices();
  const allocated: Allocated = allocatedIn(devices.claims());
  const chosenByNode = new Map<string, Chosen>();
  return (node) => {
    const before = chosenByNode.get(node.name);
    if (before) return before;
    const result = allocate(node, poolsFor(node, slices), allocated, claims, meter);
    const chosen = "taken" in result ? result : { status: failureStatus(result) };
    chosenByNode.set(node.name, chosen);
    return chosen;
  };
}

function failureStatus(result: { readonly error: string } | { readonly reason: string }): Status {
  if ("reason" in result) return unschedulableAndUnresolvable(result.reason);
  return errorStatus(result.error);
}
