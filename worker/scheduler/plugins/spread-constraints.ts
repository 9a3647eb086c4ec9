// The topology spread constraints that hold for a pod, ready to be counted.
import type { TopologySpreadConstraint } from "../../../shared/k8s/api/core-v1.ts";
import { type Selector, selectorFrom } from "../../../shared/k8s/labels.ts";
import type { NodeInfo } from "../node-info.ts";
import { requiredNodeMatch } from "../../controllers/common/node-selector.ts";
import type { Cycle } from "../framework.ts";
import { keepsAway, tolerates } from "../../controllers/common/tolerations.ts";

export const hostnameKey = "kubernetes.io/hostname";

export interface Spread {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly minDomains: number;
  readonly selector: Selector;
  /** Whether a node counts at all, by the constraint's policies on affinity and taints; absent: every node does. */
  readonly includes: ((node: NodeInfo) => boolean) | undefined;
}

/** Upstream's `systemDefaultConstraints`, for pods that state none. */
const systemDefaults: readonly { readonly topologyKey: string; readonly maxSkew: number }[] = [
  { topologyKey: hostnameKey, maxSkew: 3 },
  { topologyKey: "topology.kubernetes.io/zone", maxSkew: 5 },
];

/** The pod's own constraints of one kind. */
export function ownSpreads(cycle: Cycle, whenUnsatisfiable: "DoNotSchedule" | "ScheduleAnyway"): readonly Spread[] {
  return (cycle.pod.spec.topologySpreadConstraints ?? [])
    .filter((one) => one.whenUnsatisfiable === whenUnsatisfiable)
    .map((one) => spreadOf(one, cycle));
}

/** The system's, over the pods that are like this one; none where nothing says which those are. */
export function defaultSpreads(cycle: Cycle): readonly Spread[] {
  if (cycle.likeSelector.empty) return [];
  const includes = inclusion(cycle, {});
  return systemDefaults.map((one) => ({ ...one, minDomains: 1, selector: cycle.likeSelector, includes }));
}

export function hasAllTopologies(node: NodeInfo, spreads: readonly Spread[]): boolean {
  return spreads.every(({ topologyKey }) => node.facts.labels[topologyKey] !== undefined);
}

function spreadOf(constraint: TopologySpreadConstraint, cycle: Cycle): Spread {
  const labels = cycle.info.labels;
  const own = (constraint.matchLabelKeys ?? []).flatMap((key) => {
    const value = labels[key];
    return value === undefined ? [] : [{ key, operator: "In", values: [value] }];
  });
  const { labelSelector } = constraint;
  const expressions = [...(labelSelector?.matchExpressions ?? []), ...own];
  return {
    maxSkew: constraint.maxSkew,
    topologyKey: constraint.topologyKey,
    minDomains: constraint.minDomains ?? 1,
    selector: selectorFrom(labelSelector && { ...labelSelector, matchExpressions: expressions }),
    includes: inclusion(cycle, constraint),
  };
}

/** By default a node that the pod's affinity excludes does not count, and a tainted one does. */
function inclusion(
  { pod }: Cycle,
  { nodeAffinityPolicy, nodeTaintsPolicy }: Partial<TopologySpreadConstraint>,
): Spread["includes"] {
  const matches = nodeAffinityPolicy === "Ignore" ? undefined : requiredNodeMatch(pod);
  const honorsTaints = nodeTaintsPolicy === "Honor";
  if (!matches && !honorsTaints) return undefined;
  return (node) => {
    if (matches && !matches(node)) return false;
    return (
      !honorsTaints || !node.facts.taints.some((taint) => keepsAway(taint) && !tolerates(pod.spec.tolerations, taint))
    );
  };
}
