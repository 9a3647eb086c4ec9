// DynamicResources: allocates devices for the claims of pods.
import type { Pod } from "../../../../shared/k8s/api/core-v1.ts";
import type { ResourceClaim } from "../../../../shared/k8s/api/resource-v1.ts";
import { semanticEqual } from "../../../../shared/k8s/equal.ts";
import { nodeTermMatches } from "../../../controllers/common/node-selector.ts";
import {
  type Cycle,
  type FilterResult,
  type Plugin,
  type PreFilter,
  type Status,
  defaultNormalizeScore,
  errorStatus,
  maxNodeScore,
  unschedulableAndUnresolvable,
} from "../../framework.ts";
import type { NodeInfo } from "../../node-info.ts";
import type { TakenDevice } from "./allocate.ts";
import { chooser } from "./allocations.ts";
import { isFailed } from "./binding.ts";
import { type ClaimProblem, classedClaims, podClaims } from "./claims.ts";
import { bindClaims } from "./pre-bind.ts";

const notAvailable = unschedulableAndUnresolvable("resourceclaim not available on the node");
/** The limit `FirstAvailableDeviceRequestMaxSize`, which is the highest score of an alternative. */
const mostAlternatives = 8;

export const dynamicResources: Plugin = {
  name: "DynamicResources",
  weight: 2,
  preEnqueue: (cycle) => !("problem" in podClaims(cycle)),
  preFilter(cycle) {
    const claims = podClaims(cycle);
    if ("problem" in claims) return refusePod(unschedulableAndUnresolvable(claims.problem));
    if (claims.all.length === 0) return undefined;
    const classed = classedClaims(claims.all, cycle.devices);
    if ("problem" in classed) return refusePod(statusOf(classed));
    const allocated = claims.all.filter(({ status }) => status.allocation);
    const choose = chooser(cycle, classed.claims);
    return {
      filter: (node) => {
        // The allocation comes first, as upstream: its errors end the attempt.
        const chosen = choose?.(node);
        if (chosen && "status" in chosen) return chosen.status;
        return allocated.some((claim) => !isAvailable(claim, node)) ? notAvailable : undefined;
      },
    };
  },
  preScore(cycle, feasible) {
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
      normalizeScore: (scores) => defaultNormalizeScore(scores, { isReversed: false }),
    };
  },
  postFilter(cycle, filterResult) {
    const { preFilterStatus } = filterResult.diagnosis;
    // An earlier plugin rejected all nodes, so the claims were not checked.
    if (preFilterStatus && preFilterStatus.plugin !== dynamicResources.name)
      return { message: "not found", isError: true };
    const { message, claim } = deallocation(cycle, filterResult);
    return { message, ...(claim ? { deallocate: claim } : {}) };
  },
  preBind(cycle, node) {
    if (!cycle.pod.spec.resourceClaims?.length) return undefined;
    return (context) => bindClaims(cycle, node, context);
  },
  eventsToRegister: [
    "Node/Add",
    "Node/UpdateNodeLabel",
    "Node/UpdateNodeAllocatable",
    "ResourceClaim/Add",
    "ResourceClaim/Update",
    "Pod/UpdatePodGeneratedResourceClaim",
    "DeviceClass/Add",
    "DeviceClass/Update",
    "ResourceSlice/Add",
    "ResourceSlice/Update",
  ],
  queueingHint(cycle, change) {
    if (change.resource === "Pod") {
      return change.newObj?.metadata.uid === cycle.pod.metadata.uid && !("problem" in podClaims(cycle));
    }
    if (change.resource !== "ResourceClaim") return true;
    return change.newObj !== undefined && claimMatters(cycle, change.newObj, change.oldObj);
  },
};

/** Returns the claim to deallocate so that the pod can get other devices, and the message about it. */
function deallocation(
  cycle: Cycle,
  filterResult: FilterResult,
): { readonly message: string; readonly claim?: ResourceClaim } {
  const claims = podClaims(cycle);
  const isPrepared = filterResult.diagnosis.preFilterStatus === undefined;
  if ("problem" in claims || claims.all.length === 0 || !isPrepared) return { message: "no new claims to deallocate" };
  const isRefused = filterResult.diagnosis.nodeStatuses.some(({ plugin }) => plugin === dynamicResources.name);
  const claim = isRefused
    ? claims.all.find((claimToCheck) => isIdle(claimToCheck, cycle.pod) && isUnavailable(claimToCheck, cycle))
    : undefined;
  return claim ? { message: "deallocation of ResourceClaim completed", claim } : { message: "still not schedulable" };
}

function refusePod(status: Status): PreFilter {
  return { status, filter: () => undefined };
}

function statusOf({ problem, isError }: ClaimProblem): Status {
  return isError ? errorStatus(problem) : unschedulableAndUnresolvable(problem);
}

/** Reports whether an allocated claim is available on a node. A claim whose devices failed to bind is available on none. */
function isAvailable({ status }: ResourceClaim, node: NodeInfo): boolean {
  const terms = status.allocation?.nodeSelector?.nodeSelectorTerms;
  if (terms && !terms.some((term) => nodeTermMatches(term, node))) return false;
  return !isFailed(status);
}

function isUnavailable(claim: ResourceClaim, { snapshot }: Cycle): boolean {
  return claim.status.allocation !== undefined && snapshot.nodeInfoList.some((node) => !isAvailable(claim, node));
}

/** Reports whether a claim is reserved for no pod, or for this pod only. */
function isIdle({ status }: ResourceClaim, pod: Pod): boolean {
  const users = status.reservedFor ?? [];
  return users.length === 0 || (users.length === 1 && users[0]?.uid === pod.metadata.uid);
}

/** Scores a node: the more preferred the alternatives, the higher. */
function preference(taken: readonly TakenDevice[], claims: readonly ResourceClaim[]): number {
  const alternatives = claims.flatMap(({ spec }) =>
    spec.devices.requests.map(({ firstAvailable = [] }) => firstAvailable),
  );
  const chosen = new Set(taken.flatMap(({ request }) => (request.parent === undefined ? [] : [request.name])));
  const score = alternatives.reduce((sum, all) => {
    const at = all.findIndex(({ name }) => chosen.has(name));
    return sum + (at === -1 ? 0 : mostAlternatives - at);
  }, 0);
  return Math.min(score, maxNodeScore);
}

function claimMatters(cycle: Cycle, after: ResourceClaim, before: ResourceClaim | undefined): boolean {
  const claims = podClaims(cycle);
  if ("problem" in claims) return false;
  if (before?.status.allocation && !after.status.allocation) return true;
  if (!claims.all.some(({ metadata }) => metadata.uid === after.metadata.uid)) return false;
  return !before || !semanticEqual(before.status, after.status);
}
