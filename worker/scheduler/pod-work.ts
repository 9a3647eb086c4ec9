// Computes the work of scheduling a pod from its requirements: the comparisons with each node or pod.
import type { Cycle } from "./framework.ts";
import { selectorComparisons } from "./pod-info.ts";

/** The work of one comparison, and of filtering any node. */
const workOf = { comparison: 0.2, node: 0.4 } as const;

/** Returns the work of filtering one node. */
export function workOfNode(cycle: Cycle): number {
  const { affinity, tolerations = [], nodeSelector = {} } = cycle.pod.spec;
  const { requiredDuringSchedulingIgnoredDuringExecution: required, preferredDuringSchedulingIgnoredDuringExecution } =
    affinity?.nodeAffinity ?? {};
  let comparisons = tolerations.length + Object.keys(nodeSelector).length + comparisonsWithPod(cycle);
  for (const { matchExpressions = [], matchFields = [] } of [
    ...(required?.nodeSelectorTerms ?? []),
    ...(preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ preference }) => preference),
  ]) {
    for (const { values } of [...matchExpressions, ...matchFields]) comparisons += 1 + (values?.length ?? 0);
  }
  return workOf.node + workOf.comparison * comparisons;
}

/** Charges the work of comparing a pod with all pods of the cluster, in both directions. */
export function chargePods(cycle: Cycle): void {
  const ownComparisons = comparisonsWithPod(cycle);
  const { nodeInfoList, nodesWithAffinity } = cycle.snapshot;
  // Most pods have no terms, so only nodes with affinity pods matter.
  for (const { exists, pods, podsWithAffinity } of ownComparisons === 0 ? nodesWithAffinity : nodeInfoList) {
    if (!exists) continue;
    let comparisons = ownComparisons * pods.size;
    for (const { terms } of podsWithAffinity) comparisons += terms?.comparisons ?? 0;
    if (comparisons > 0) cycle.meter.charge(workOf.comparison * comparisons);
  }
}

function comparisonsWithPod({ info, pod }: Cycle): number {
  let comparisons = info.terms?.comparisons ?? 0;
  for (const { labelSelector } of pod.spec.topologySpreadConstraints ?? []) {
    comparisons += 1 + selectorComparisons(labelSelector);
  }
  return comparisons;
}
