// DynamicResources: the devices that a pod's claims ask for.
import type { Pod } from "../../../../shared/k8s/api/core-v1.ts";
import type { AllocationResult, ResourceClaim } from "../../../../shared/k8s/api/resource-v1.ts";
import { semanticEqual } from "../../../../shared/k8s/equal.ts";
import { type TakenDevice, allocate } from "./allocate.ts";
import { type Allocated, allocatedIn } from "./allocated.ts";
import { isFailed } from "./binding.ts";
import { type ClaimProblem, classedClaims, podClaims } from "./claims.ts";
import { poolsFor } from "./pools.ts";
import { allocationResult } from "./result.ts";
import type { Found } from "../../find.ts";
import type { NodeInfo } from "../../node-info.ts";
import { nodeTermMatches } from "../../../controllers/common/node-selector.ts";
import {
  type Cycle,
  type Filter,
  type Plugin,
  type Rejection,
  maxScore,
  normalizeByMax,
  unresolvable,
} from "../../framework.ts";

const notAvailable = unresolvable("resourceclaim not available on the node");
/** `FirstAvailableDeviceRequestMaxSize`: the first alternative counts as much. */
const mostAlternatives = 8;

export const dynamicResources: Plugin = {
  name: "DynamicResources",
  weight: 2,
  isGated: (cycle) => "problem" in podClaims(cycle),
  filter(cycle) {
    const claims = podClaims(cycle);
    if ("problem" in claims) return refused(unresolvable(claims.problem));
    if (claims.all.length === 0) return undefined;
    const classed = classedClaims(claims.all, cycle.devices);
    if ("problem" in classed) return refused(rejectionOf(classed));
    const allocated = claims.all.filter(({ status }) => status.allocation);
    const choose = chooser(cycle, classed.claims);
    return {
      check: (node) => {
        // What the claims need elsewhere is found out first, as upstream does: an error of theirs ends the attempt.
        const chosen = choose?.(node);
        if (chosen && "rejection" in chosen) return chosen.rejection;
        return allocated.some((claim) => !isAvailable(claim, node)) ? notAvailable : undefined;
      },
    };
  },
  score(cycle, feasible) {
    const claims = podClaims(cycle);
    if ("problem" in claims || claims.all.length === 0) return undefined;
    const classed = classedClaims(claims.all, cycle.devices);
    const choose = "problem" in classed ? undefined : chooser(cycle, classed.claims);
    if (!choose || feasible.length === 0) return { score: () => 0 };
    return {
      score: (node) => {
        const chosen = choose(node);
        return "taken" in chosen ? preference(chosen.taken, claims.all) : 0;
      },
      normalize: (scores) => normalizeByMax(scores, false),
    };
  },
  wakesOn: [
    "Node/add",
    "Node/label",
    "Node/allocatable",
    "ResourceClaim/add",
    "ResourceClaim/update",
    "Pod/claims",
    "DeviceClass/add",
    "DeviceClass/update",
    "ResourceSlice/add",
    "ResourceSlice/update",
  ],
  wakes(cycle, change) {
    if (change.kind === "Pod") {
      return change.after?.metadata.uid === cycle.pod.metadata.uid && !("problem" in podClaims(cycle));
    }
    if (change.kind !== "ResourceClaim") return true;
    return change.after !== undefined && claimMatters(cycle, change.after, change.before);
  },
};

/** The claims that are still to be allocated, with what they would get on a node; kept nowhere, so that it is always true. */
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
    const own = chosen.taken.filter(({ claimAt }) => claimAt === at);
    return { claim, allocation: allocationResult(claim, own, node.name, shareId) };
  });
}

/** What can be given back so that the pod finds other devices, and what is said of it. */
export function deallocation(cycle: Cycle, found: Found): { readonly message: string; readonly claim?: ResourceClaim } {
  const claims = podClaims(cycle);
  const isPrepared = found.diagnosis.all === undefined;
  if ("problem" in claims || claims.all.length === 0 || !isPrepared) return { message: "no new claims to deallocate" };
  const isRefused = found.diagnosis.refusals.some(({ plugin }) => plugin === dynamicResources.name);
  const claim = isRefused ? claims.all.find((one) => isIdle(one, cycle.pod) && isUnavailable(one, cycle)) : undefined;
  return claim ? { message: "deallocation of ResourceClaim completed", claim } : { message: "still not schedulable" };
}

type Chosen = { readonly taken: readonly TakenDevice[] } | { readonly rejection: Rejection };
type Classed = Exclude<ReturnType<typeof classedClaims>, ClaimProblem>;

/** Finds devices on a node, once for each node; undefined where nothing is to be allocated. */
function chooser({ devices }: Cycle, claims: Classed["claims"]): ((node: NodeInfo) => Chosen) | undefined {
  if (claims.length === 0) return undefined;
  const slices = devices.slices();
  const allocated: Allocated = allocatedIn(devices.claims());
  const known = new Map<string, Chosen>();
  return (node) => {
    const before = known.get(node.name);
    if (before) return before;
    const result = allocate(node, poolsFor(node, slices), allocated, claims);
    const chosen = "taken" in result ? result : { rejection: failureOf(result) };
    known.set(node.name, chosen);
    return chosen;
  };
}

function failureOf(result: { readonly error: string } | { readonly reason: string }): Rejection {
  if ("reason" in result) return unresolvable(result.reason);
  return { reasons: [result.error], isResolvable: false, isError: true };
}

function refused(rejection: Rejection): Filter {
  return { rejection, check: () => undefined };
}

function rejectionOf({ problem, isError }: ClaimProblem): Rejection {
  return { reasons: [problem], isResolvable: false, ...(isError ? { isError } : {}) };
}

/** An allocated claim is there for the pods on some nodes; one whose devices could not be made ready is there for none. */
function isAvailable({ status }: ResourceClaim, node: NodeInfo): boolean {
  const terms = status.allocation?.nodeSelector?.nodeSelectorTerms;
  if (terms && !terms.some((term) => nodeTermMatches(term, node))) return false;
  return !isFailed(status);
}

function isUnavailable(claim: ResourceClaim, { snapshot }: Cycle): boolean {
  return claim.status.allocation !== undefined && snapshot.order.some((node) => !isAvailable(claim, node));
}

/** Nobody uses it, or only this pod would. */
function isIdle({ status }: ResourceClaim, pod: Pod): boolean {
  const users = status.reservedFor ?? [];
  return users.length === 0 || (users.length === 1 && users[0]?.uid === pod.metadata.uid);
}

/** Better where more preferred alternatives were found. */
function preference(taken: readonly TakenDevice[], claims: readonly ResourceClaim[]): number {
  const alternatives = claims.flatMap(({ spec }) =>
    spec.devices.requests.map(({ firstAvailable = [] }) => firstAvailable),
  );
  const chosen = new Set(taken.flatMap(({ request }) => (request.parent === undefined ? [] : [request.name])));
  const score = alternatives.reduce((sum, all) => {
    const at = all.findIndex(({ name }) => chosen.has(name));
    return sum + (at === -1 ? 0 : mostAlternatives - at);
  }, 0);
  return Math.min(score, maxScore);
}

function claimMatters(cycle: Cycle, after: ResourceClaim, before: ResourceClaim | undefined): boolean {
  const claims = podClaims(cycle);
  if ("problem" in claims) return false;
  if (before?.status.allocation && !after.status.allocation) return true;
  if (!claims.all.some(({ metadata }) => metadata.uid === after.metadata.uid)) return false;
  return !before || !semanticEqual(before.status, after.status);
}
