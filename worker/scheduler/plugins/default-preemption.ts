// DefaultPreemption: evicts pods of a lower priority if a pod fits on no node.
import { histogram } from "../fit-error.ts";
import type { Cycle, FilterResult, Plugin } from "../framework.ts";
import { findCandidates, pickOneNodeForPreemption } from "../preemption.ts";

const notHelpful = { reasons: ["Preemption is not helpful for scheduling"] };

export const defaultPreemption: Plugin = {
  name: "DefaultPreemption",
  postFilter(cycle, filterResult, random, nowMs) {
    const problem = podEligibleToPreemptOthers(cycle, filterResult);
    if (problem !== undefined) return { message: `preemption: ${problem}` };
    const { nodeInfoList } = cycle.snapshot;
    const { candidates, statuses } = findCandidates(cycle, filterResult, random, nowMs);
    const best = pickOneNodeForPreemption(candidates, nowMs);
    if (best) return { message: "", nominatedNodeName: best.node, victims: best.victims };
    const reasons = histogram(statuses, nodeInfoList.length, notHelpful);
    return { message: `preemption: 0/${nodeInfoList.length} nodes are available: ${reasons}.`, nominatedNodeName: "" };
  },
};

/** Returns why the pod may not preempt others, if so. */
function podEligibleToPreemptOthers({ pod, info, snapshot }: Cycle, { diagnosis }: FilterResult): string | undefined {
  if (pod.spec.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const nominated = pod.status.nominatedNodeName;
  if (!nominated) return undefined;
  const refusal = diagnosis.nodeStatuses.find(({ node }) => node === nominated);
  // Evictions no longer help on the nominated node, so other nodes are considered.
  if (refusal?.status.code !== "Unschedulable") return undefined;
  for (const victim of snapshot.node(nominated)?.pods.values() ?? []) {
    if (victim.priority < info.priority && victim.isPreempted) {
      return "not eligible due to a terminating pod on the nominated node.";
    }
  }
  return undefined;
}
