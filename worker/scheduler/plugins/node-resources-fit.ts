// NodeResourcesFit: a node must have the requested resources free; nodes with more free resources are preferred (LeastAllocated).
import type { Node, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { type NodeInfo, emptyNode, nodeFactsOf } from "../node-info.ts";
import { isPlaced } from "../pending.ts";
import { type Cycle, type Plugin, type Status, maxNodeScore } from "../framework.ts";
import { type Resources, podRequests } from "../resources.ts";

export const nodeResourcesFit: Plugin = {
  name: "NodeResourcesFit",
  weight: 1,
  preFilter({ info: { requests } }) {
    return { filter: (node) => fitsRequest(node, requests) };
  },
  preScore({ info: { nonZeroRequests } }) {
    return {
      score: ({ facts: { allocatable }, nonZeroRequested: used }) => {
        const resources = (allocatable.milliCpu > 0 ? 1 : 0) + (allocatable.memory > 0 ? 1 : 0);
        if (resources === 0) return 0;
        const cpu = leastRequestedScore(used.milliCpu + nonZeroRequests.milliCpu, allocatable.milliCpu);
        const memory = leastRequestedScore(used.memory + nonZeroRequests.memory, allocatable.memory);
        return Math.floor((cpu + memory) / resources);
      },
    };
  },
  eventsToRegister: ["Pod/Delete", "Pod/UpdatePodScaleDown", "Node/Add", "Node/UpdateNodeAllocatable"],
  queueingHint(cycle, change) {
    if (change.resource === "Node") return change.newObj !== undefined && helps(cycle, change.newObj, change.oldObj);
    if (change.resource !== "Pod" || !change.oldObj) return false;
    return change.newObj ? frees(cycle, change.newObj, change.oldObj) : isPlaced(change.oldObj);
  },
};

/** Reports whether an empty node could take the pod and could not before, or has gained a requested resource. */
function helps({ info: { requests } }: Cycle, after: Node, before: Node | undefined): boolean {
  const now = { ...emptyNode(""), facts: nodeFactsOf(after) };
  if (fitsRequest(now, requests)) return false;
  if (!before) return true;
  const { allocatable, allowedPodNumber } = nodeFactsOf(before);
  if (now.facts.allowedPodNumber > allowedPodNumber) return true;
  return hasLess(allocatable, now.facts.allocatable, requests);
}

/** Reports whether a pod has released some of a requested resource. */
function frees({ pod, info: { requests } }: Cycle, after: Pod, before: Pod): boolean {
  if (after.metadata.uid === pod.metadata.uid) return true;
  if (!after.spec.nodeName) return false;
  return hasLess(
    podRequests(after, { asRunning: true }).requests,
    podRequests(before, { asRunning: true }).requests,
    requests,
  );
}

/** Reports whether `a` is less than `b` in any requested resource. */
function hasLess(a: Resources, b: Resources, requests: Resources): boolean {
  if (requests.milliCpu > 0 && a.milliCpu < b.milliCpu) return true;
  if (requests.memory > 0 && a.memory < b.memory) return true;
  if (requests.ephemeralStorage > 0 && a.ephemeralStorage < b.ephemeralStorage) return true;
  return [...requests.scalars].some(
    ([name, amount]) => amount > 0 && (a.scalars.get(name) ?? 0) < (b.scalars.get(name) ?? 0),
  );
}

function leastRequestedScore(requestedAmount: number, capacity: number): number {
  return capacity === 0 || requestedAmount > capacity
    ? 0
    : Math.floor(((capacity - requestedAmount) * maxNodeScore) / capacity);
}

/** Returns all insufficient resources in order. */
function fitsRequest({ facts, requested, pods }: NodeInfo, requests: Resources): Status | undefined {
  const reasons: string[] = [];
  let code: Status["code"] = "Unschedulable";
  if (pods.size + 1 > facts.allowedPodNumber) reasons.push("Too many pods");
  const check = (name: string, amount: number, used: number, capacity: number) => {
    if (amount <= 0 || amount <= capacity - used) return;
    reasons.push(`Insufficient ${name}`);
    if (amount > capacity) code = "UnschedulableAndUnresolvable";
  };
  const { allocatable } = facts;
  check("cpu", requests.milliCpu, requested.milliCpu, allocatable.milliCpu);
  check("memory", requests.memory, requested.memory, allocatable.memory);
  check("ephemeral-storage", requests.ephemeralStorage, requested.ephemeralStorage, allocatable.ephemeralStorage);
  for (const [name, amount] of requests.scalars) {
    check(name, amount, requested.scalars.get(name) ?? 0, allocatable.scalars.get(name) ?? 0);
  }
  return reasons.length > 0 ? { code, reasons } : undefined;
}
