// PodTopologySpread: spreads matching pods over zones and nodes. Hard constraints filter; soft and default constraints score.
import { nothing, type Selector, labelSelectorAsSelector, type Labels } from "../../../shared/k8s/selectors/labels.ts";
import type { NodeInfo } from "../node-info.ts";
import type { PodInfo } from "../pod-info.ts";
import {
  type Cycle,
  type PreFilter,
  type Plugin,
  type PreScore,
  maxNodeScore,
  unschedulable,
  unschedulableAndUnresolvable,
} from "../framework.ts";
import type { TopologySpreadConstraint, Node, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { requiredNodeMatch } from "../../controllers/common/node-selector.ts";
import { keepsAway, tolerates } from "../../controllers/common/tolerations.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import type { ClusterEvent } from "../cluster-event.ts";
import { isPlaced } from "../pending.ts";

const status = unschedulable("node(s) didn't match pod topology spread constraints");
const withoutLabel = unschedulableAndUnresolvable(
  "node(s) didn't match pod topology spread constraints (missing required label)",
);

export const podTopologySpread: Plugin = {
  name: "PodTopologySpread",
  weight: 2,
  preFilter(cycle) {
    const spreads = podSpreads(cycle, "DoNotSchedule");
    return spreads.length > 0 ? filterBy(cycle, spreads) : undefined;
  },
  preScore(cycle, feasible) {
    const hasOwn = (cycle.pod.spec.topologySpreadConstraints?.length ?? 0) > 0;
    const spreads = hasOwn ? podSpreads(cycle, "ScheduleAnyway") : defaultSpreads(cycle);
    return spreads.length > 0 ? scoreBy(cycle, spreads, feasible, hasOwn) : undefined;
  },
  eventsToRegister: [
    "Pod/Add",
    "Pod/UpdatePodLabel",
    "Pod/UpdatePodToleration",
    "Pod/Delete",
    "Node/Add",
    "Node/Delete",
    "Node/UpdateNodeLabel",
    "Node/UpdateNodeTaint",
  ],
  queueingHint: queueingHint,
};

function filterBy(cycle: Cycle, spreads: readonly Spread[]): PreFilter {
  const counted = cycle.snapshot.nodeInfoList.filter((node) => hasAllTopologies(node, spreads));
  const domains = spreads.map((spread) => countDomains(cycle, spread, counted));
  const floorsOf = () =>
    spreads.map(({ minDomains }, at) => {
      const counts = domains[at];
      if (!counts || counts.size < minDomains) return 0;
      let least = Number.POSITIVE_INFINITY;
      for (const count of counts.values()) least = Math.min(least, count);
      return least;
    });
  let floors = floorsOf();
  let isStale = false;
  const shift = (node: NodeInfo, pod: PodInfo, sign: 1 | -1) => {
    if (pod.namespace !== cycle.info.namespace || !hasAllTopologies(node, spreads)) return;
    for (const [at, { topologyKey, selector, includes }] of spreads.entries()) {
      if (!selector.matches(pod.labels) || (includes && !includes(node))) continue;
      const value = node.facts.labels[topologyKey] ?? "";
      domains[at]?.set(value, (domains[at].get(value) ?? 0) + sign);
      isStale = true;
    }
  };
  return {
    addPod: (node, pod) => shift(node, pod, 1),
    removePod: (node, pod) => shift(node, pod, -1),
    filter: (node) => {
      if (isStale) floors = floorsOf();
      isStale = false;
      for (const [at, { topologyKey, maxSkew, selector }] of spreads.entries()) {
        const value = node.facts.labels[topologyKey];
        if (value === undefined) return withoutLabel;
        const selfMatch = selector.matches(cycle.info.labels) ? 1 : 0;
        const skew = (domains[at]?.get(value) ?? 0) + selfMatch - (floors[at] ?? 0);
        if (skew > maxSkew) return status;
      }
      return undefined;
    },
  };
}

/** Counts matching pods by the value of the topology key, over the included nodes. */
function countDomains({ info, snapshot }: Cycle, spread: Spread, nodes: readonly NodeInfo[]): Map<string, number> {
  const byNode = spread.selector.empty
    ? new Map<NodeInfo, number>()
    : snapshot.matches(info.namespace, spread.selector);
  const domains = new Map<string, number>();
  for (const node of nodes) {
    if (spread.includes && !spread.includes(node)) continue;
    const value = node.facts.labels[spread.topologyKey] ?? "";
    domains.set(value, (domains.get(value) ?? 0) + (byNode.get(node) ?? 0));
  }
  return domains;
}

function scoreBy(
  cycle: Cycle,
  spreads: readonly Spread[],
  feasible: readonly NodeInfo[],
  needsAllTopologies: boolean,
): PreScore {
  const ignored = new Set(needsAllTopologies ? feasible.filter((node) => !hasAllTopologies(node, spreads)) : []);
  const considered = feasible.filter((node) => !ignored.has(node));
  const counters = spreads.map((spread) => counterOf(cycle, spread, spreads, considered, needsAllTopologies));
  return {
    score: (node) => {
      if (ignored.has(node)) return 0;
      return Math.round(counters.reduce((sum, counter) => sum + counter(node), 0));
    },
    normalizeScore: (scores, nodes) => normalize(scores, nodes, ignored),
  };
}

/** Returns the score function of a constraint: the matching pods in the node's domain, weighed by the number of domains. */
function counterOf(
  { info, snapshot }: Cycle,
  spread: Spread,
  spreads: readonly Spread[],
  considered: readonly NodeInfo[],
  needsAllTopologies: boolean,
): (node: NodeInfo) => number {
  const { topologyKey, maxSkew } = spread;
  // Upstream counts no pods for an empty selector.
  const selector = spread.selector.empty ? nothing : spread.selector;
  const byNode = snapshot.matches(info.namespace, selector);
  const valueOf = (node: NodeInfo) => node.facts.labels[topologyKey];
  if (topologyKey === hostnameKey) {
    const weight = Math.log(considered.length + 2);
    return (node) => (valueOf(node) === undefined ? 0 : (byNode.get(node) ?? 0) * weight + maxSkew - 1);
  }
  const domains = new Set(considered.map(valueOf));
  const counts =
    spread.includes || needsAllTopologies
      ? sumDomains(
          byNode,
          (node) => isCounted(node, spread) && (!needsAllTopologies || hasAllTopologies(node, spreads)),
          valueOf,
        )
      : snapshot.matchesByDomain(info.namespace, selector, topologyKey);
  const weight = Math.log(domains.size + 2);
  return (node) => {
    const value = valueOf(node);
    return value === undefined ? 0 : (counts.get(value) ?? 0) * weight + maxSkew - 1;
  };
}

function isCounted(node: NodeInfo, { includes }: Spread): boolean {
  return node.exists && (!includes || includes(node));
}

function sumDomains(
  byNode: ReadonlyMap<NodeInfo, number>,
  isIncluded: (node: NodeInfo) => boolean,
  valueOf: (node: NodeInfo) => string | undefined,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [node, count] of byNode) {
    const value = valueOf(node);
    if (value !== undefined && isIncluded(node)) sums.set(value, (sums.get(value) ?? 0) + count);
  }
  return sums;
}

/** Normalizes scores: the fewest matching pods are best; ignored nodes get 0. */
function normalize(scores: number[], nodes: readonly NodeInfo[], ignored: ReadonlySet<NodeInfo>): void {
  const isIgnored = (at: number) => {
    const node = nodes[at];
    return node !== undefined && ignored.has(node);
  };
  const valid = ignored.size === 0 ? scores : scores.filter((_, at) => !isIgnored(at));
  const highest = Math.max(0, ...valid);
  const lowest = Math.min(...valid);
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at] ?? 0;
    if (isIgnored(at)) scores[at] = 0;
    else scores[at] = highest === 0 ? maxNodeScore : Math.trunc((maxNodeScore * (highest + lowest - score)) / highest);
  }
}

const hostnameKey = "kubernetes.io/hostname";

export interface Spread {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly minDomains: number;
  readonly selector: Selector;
  /** Reports whether a node counts, by the affinity and taint policies of the constraint. Undefined: every node counts. */
  readonly includes: ((node: NodeInfo) => boolean) | undefined;
}

/** The constraints of pods without their own. */
const systemDefaultConstraints: readonly { readonly topologyKey: string; readonly maxSkew: number }[] = [
  { topologyKey: hostnameKey, maxSkew: 3 },
  { topologyKey: "topology.kubernetes.io/zone", maxSkew: 5 },
];

/** Returns the pod's own constraints of one kind. */
export function podSpreads(cycle: Cycle, whenUnsatisfiable: "DoNotSchedule" | "ScheduleAnyway"): readonly Spread[] {
  return (cycle.pod.spec.topologySpreadConstraints ?? [])
    .filter((constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable)
    .map((constraint) => spreadOf(constraint, cycle));
}

/** Returns the default constraints over the pods of the default selector. Empty if there is no such selector. */
function defaultSpreads(cycle: Cycle): readonly Spread[] {
  if (cycle.defaultSelector.empty) return [];
  const includes = inclusion(cycle, {});
  return systemDefaultConstraints.map((constraint) => ({
    ...constraint,
    minDomains: 1,
    selector: cycle.defaultSelector,
    includes,
  }));
}

function hasAllTopologies(node: NodeInfo, spreads: readonly Spread[]): boolean {
  return spreads.every(({ topologyKey }) => node.facts.labels[topologyKey] !== undefined);
}

function spreadOf(constraint: TopologySpreadConstraint, cycle: Cycle): Spread {
  const labels = cycle.info.labels;
  const keyRequirements = (constraint.matchLabelKeys ?? []).flatMap((key) => {
    const value = labels[key];
    return value === undefined ? [] : [{ key, operator: "In", values: [value] }];
  });
  const { labelSelector } = constraint;
  const expressions = [...(labelSelector?.matchExpressions ?? []), ...keyRequirements];
  return {
    maxSkew: constraint.maxSkew,
    topologyKey: constraint.topologyKey,
    minDomains: constraint.minDomains ?? 1,
    selector: labelSelectorAsSelector(labelSelector && { ...labelSelector, matchExpressions: expressions }),
    includes: inclusion(cycle, constraint),
  };
}

/** Returns the node filter of a constraint. By default it honors affinity and ignores taints. */
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

function queueingHint(cycle: Cycle, change: ClusterEvent): boolean {
  if (change.resource === "Pod") return podMatters(cycle, change.newObj, change.oldObj);
  return change.resource === "Node" && nodeMatters(cycle, change.newObj, change.oldObj);
}

function podMatters(cycle: Cycle, after: Pod | undefined, before: Pod | undefined): boolean {
  const { pod } = cycle;
  if ([after, before].some((version) => version && !isInvolved(version, pod))) return false;
  const spreads = podSpreads(cycle, "DoNotSchedule");
  if (!after || !before) {
    const { labels } = (after ?? before ?? pod).metadata;
    return spreads.some(({ selector }) => selector.matches(labels));
  }
  const isTolerant = !semanticEqual(after.spec.tolerations, before.spec.tolerations);
  if (after.metadata.uid === pod.metadata.uid && isTolerant && honorsTaints(pod)) return true;
  if (semanticEqual(after.metadata.labels, before.metadata.labels)) return false;
  return spreads.some(
    ({ selector }) => selector.matches(before.metadata.labels) !== selector.matches(after.metadata.labels),
  );
}

/** Reports whether a pod is the given one, or a placed pod of its namespace. */
function isInvolved(candidate: Pod, pod: Pod): boolean {
  if (candidate.metadata.uid === pod.metadata.uid) return true;
  return isPlaced(candidate) && candidate.metadata.namespace === pod.metadata.namespace;
}

function honorsTaints({ spec }: Pod): boolean {
  return (
    spec.topologySpreadConstraints?.some(
      (constraint) => constraint.whenUnsatisfiable === "DoNotSchedule" && constraint.nodeTaintsPolicy === "Honor",
    ) ?? false
  );
}

function nodeMatters(cycle: Cycle, after: Node | undefined, before: Node | undefined): boolean {
  const spreads = podSpreads(cycle, "DoNotSchedule");
  const counted = after !== undefined && hasKeys(after, spreads);
  const wasCounted = before !== undefined && hasKeys(before, spreads);
  if (!after || !before) return counted || wasCounted;
  if (counted !== wasCounted) return true;
  if (!counted) return false;
  const value = ({ metadata }: Node, key: string): string | undefined => labelsOf(metadata.labels)[key];
  const hasMoved = spreads.some(({ topologyKey }) => value(after, topologyKey) !== value(before, topologyKey));
  return hasMoved || !semanticEqual(after.spec.taints, before.spec.taints);
}

function hasKeys({ metadata }: Node, spreads: readonly Spread[]): boolean {
  return spreads.every(({ topologyKey }) => labelsOf(metadata.labels)[topologyKey] !== undefined);
}

function labelsOf(labels: Labels | undefined): Labels {
  return labels ?? {};
}
