// The fewest pods that have to leave a node so that another fits (upstream: `SelectVictimsOnNode`).
import type { PodDisruptionBudget } from "../../shared/k8s/api/policy-v1.ts";
import { selectorFrom } from "../../shared/k8s/labels.ts";
import { type NamedFilter, addTo, refusalOf, shift } from "./filters.ts";
import { type NodeInfo, copyOfNode, removePod } from "./node-info.ts";
import { type Cycle, type Rejection, unresolvable } from "./framework.ts";
import type { PodInfo } from "./pod-info.ts";
import { startMs } from "./preemption-choice.ts";

export type Victims =
  | { readonly victims: readonly PodInfo[]; readonly violations: number }
  | { readonly rejection: Rejection };

/** All that are less important leave; then each comes back that the pod still fits beside, the most important first. */
export function selectVictims(
  cycle: Cycle,
  filters: readonly NamedFilter[],
  node: NodeInfo,
  budgets: readonly PodDisruptionBudget[],
  nowMs: number,
): Victims {
  const potential = [...node.pods.values()].filter(({ priority }) => priority < cycle.info.priority);
  if (potential.length === 0) return { rejection: unresolvable("No preemption victims found for incoming pod") };
  const without = copyOfNode(node);
  const gone = new Set<PodInfo>();
  const leave = (pod: PodInfo) => {
    removePod(without, pod);
    shift(filters, without, pod, -1);
    gone.add(pod);
  };
  for (const pod of potential) leave(pod);
  const refusal = refusalOf(cycle, filters, without);
  const result = refusal ? { rejection: refusal.rejection } : reprieve();
  // The filters count the node's pods as they are for the next node's question.
  for (const pod of gone) shift(filters, without, pod, 1);
  return result;

  function reprieve(): Victims {
    potential.sort((a, b) => moreImportant(a, b, nowMs));
    const isViolating = violating(potential, budgets);
    const victims: PodInfo[] = [];
    const comesBack = (pod: PodInfo) => {
      addTo(without, pod, filters);
      gone.delete(pod);
      if (!refusalOf(cycle, filters, without)) return;
      leave(pod);
      victims.push(pod);
    };
    for (const pod of potential) if (isViolating.has(pod)) comesBack(pod);
    const violations = victims.length;
    for (const pod of potential) if (!isViolating.has(pod)) comesBack(pod);
    return { victims: victims.sort((a, b) => moreImportant(a, b, nowMs)), violations };
  }
}

/** Upstream's `MoreImportantPod`: by priority, then the one that has run longer. */
function moreImportant(a: PodInfo, b: PodInfo, nowMs: number): number {
  return b.priority - a.priority || startMs(a, nowMs) - startMs(b, nowMs);
}

/** Upstream's `filterPodsWithPDBViolation`: in their order, those whose leaving a budget does not allow. */
function violating(pods: readonly PodInfo[], budgets: readonly PodDisruptionBudget[]): ReadonlySet<PodInfo> {
  const left = budgets.map(({ metadata, spec, status }) => ({
    namespace: metadata.namespace ?? "",
    selector: selectorFrom(spec.selector),
    disrupted: status.disruptedPods ?? {},
    allowed: status.disruptionsAllowed,
  }));
  const found = new Set<PodInfo>();
  for (const pod of pods) {
    if (Object.keys(pod.labels).length === 0) continue;
    for (const budget of left) {
      const { namespace, selector, disrupted } = budget;
      if (namespace !== pod.namespace || selector.empty || !selector.matches(pod.labels)) continue;
      if (Object.hasOwn(disrupted, pod.name)) continue;
      budget.allowed -= 1;
      if (budget.allowed < 0) found.add(pod);
    }
  }
  return found;
}
