// What placing a pod costs by what it asks: what each node, or each pod that is there, is compared with.
import { spend } from "../../shared/k8s/bounds/work.ts";
import type { Cycle } from "./framework.ts";
import { selectorComparisons } from "./pod-info.ts";

/** Units of `spend` for one comparison, and for what filtering any node costs. */
const unitsOf = { comparison: 10, node: 20 } as const;

/** Units that filtering one node takes. */
export function unitsOfNode(cycle: Cycle): number {
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
  return unitsOf.node + unitsOf.comparison * comparisons;
}

/** Spends what comparing a pod with all those that are there takes, and them with it. */
export function spendOnPods(cycle: Cycle): void {
  const own = comparisonsWithPod(cycle);
  const { nodeInfoList, nodesWithAffinity } = cycle.snapshot;
  // Most pods are compared with no other, unless another asks for it.
  for (const { exists, pods, podsWithAffinity } of own === 0 ? nodesWithAffinity : nodeInfoList) {
    if (!exists) continue;
    let comparisons = own * pods.size;
    for (const { terms } of podsWithAffinity) comparisons += terms?.comparisons ?? 0;
    if (comparisons > 0) spend(unitsOf.comparison * comparisons);
  }
}

function comparisonsWithPod({ info, pod }: Cycle): number {
  let comparisons = info.terms?.comparisons ?? 0;
  for (const { labelSelector } of pod.spec.topologySpreadConstraints ?? []) {
    comparisons += 1 + selectorComparisons(labelSelector);
  }
  return comparisons;
}
