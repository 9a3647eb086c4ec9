// NodeResourcesFit: what a pod requests must be free on the node; nodes with more left are better (LeastAllocated).
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

/** A node that could take the pod if nothing else ran there, and could not before, or had less of what it asks. */
function helps({ info: { requests } }: Cycle, after: Node, before: Node | undefined): boolean {
  const now = { ...emptyNode(""), facts: nodeFactsOf(after) };
  if (fitsRequest(now, requests)) return false;
  if (!before) return true;
  const { allocatable, allowedPodNumber } = nodeFactsOf(before);
  if (now.facts.allowedPodNumber > allowedPodNumber) return true;
  return hasLess(allocatable, now.facts.allocatable, requests);
}

/** A pod that holds less than it did of something that this one asks. */
function frees({ pod, info: { requests } }: Cycle, after: Pod, before: Pod): boolean {
  if (after.metadata.uid === pod.metadata.uid) return true;
  if (!after.spec.nodeName) return false;
  return hasLess(podRequests(after, true).requests, podRequests(before, true).requests, requests);
}

/** Whether there is less in `a` than in `b` of something that is wanted. */
function hasLess(a: Resources, b: Resources, wanted: Resources): boolean {
  if (wanted.milliCpu > 0 && a.milliCpu < b.milliCpu) return true;
  if (wanted.memory > 0 && a.memory < b.memory) return true;
  if (wanted.ephemeralStorage > 0 && a.ephemeralStorage < b.ephemeralStorage) return true;
  return [...wanted.scalars].some(
    ([name, amount]) => amount > 0 && (a.scalars.get(name) ?? 0) < (b.scalars.get(name) ?? 0),
  );
}

function leastRequestedScore(wanted: number, capacity: number): number {
  return capacity === 0 || wanted > capacity ? 0 : Math.floor(((capacity - wanted) * maxNodeScore) / capacity);
}

/** All that is missing, in its order. */
function fitsRequest({ facts, requested, pods }: NodeInfo, wanted: Resources): Status | undefined {
  const reasons: string[] = [];
  let code: Status["code"] = "Unschedulable";
  if (pods.size + 1 > facts.allowedPodNumber) reasons.push("Too many pods");
  const check = (name: string, amount: number, used: number, capacity: number) => {
    if (amount <= 0 || amount <= capacity - used) return;
    reasons.push(`Insufficient ${name}`);
    if (amount > capacity) code = "UnschedulableAndUnresolvable";
  };
  const { allocatable } = facts;
  check("cpu", wanted.milliCpu, requested.milliCpu, allocatable.milliCpu);
  check("memory", wanted.memory, requested.memory, allocatable.memory);
  check("ephemeral-storage", wanted.ephemeralStorage, requested.ephemeralStorage, allocatable.ephemeralStorage);
  for (const [name, amount] of wanted.scalars) {
    check(name, amount, requested.scalars.get(name) ?? 0, allocatable.scalars.get(name) ?? 0);
  }
  return reasons.length > 0 ? { code, reasons } : undefined;
}
