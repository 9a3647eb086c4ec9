// PodTopologySpread: like pods spread over zones and nodes; a hard constraint filters, a soft one and the defaults score.
import { nothing } from "../../../shared/k8s/labels.ts";
import type { NodeInfo } from "../node-info.ts";
import { type Cycle, type Filter, type Plugin, type Score, maxScore, resolvable, unresolvable } from "../framework.ts";
import { spreadWakes } from "./spread-changes.ts";
import { type Spread, defaultSpreads, hasAllTopologies, hostnameKey, ownSpreads } from "./spread-constraints.ts";

const rejection = resolvable("node(s) didn't match pod topology spread constraints");
const withoutLabel = unresolvable("node(s) didn't match pod topology spread constraints (missing required label)");

export const podTopologySpread: Plugin = {
  name: "PodTopologySpread",
  weight: 2,
  filter(cycle) {
    const spreads = ownSpreads(cycle, "DoNotSchedule");
    return spreads.length > 0 ? filterBy(cycle, spreads) : undefined;
  },
  score(cycle, feasible) {
    const hasOwn = (cycle.pod.spec.topologySpreadConstraints?.length ?? 0) > 0;
    const spreads = hasOwn ? ownSpreads(cycle, "ScheduleAnyway") : defaultSpreads(cycle);
    return spreads.length > 0 ? scoreBy(cycle, spreads, feasible, hasOwn) : undefined;
  },
  wakesOn: [
    "Pod/add",
    "Pod/label",
    "Pod/tolerations",
    "Pod/delete",
    "Node/add",
    "Node/delete",
    "Node/label",
    "Node/taint",
  ],
  wakes: spreadWakes,
};

function filterBy(cycle: Cycle, spreads: readonly Spread[]): Filter {
  const counted = cycle.snapshot.order.filter((node) => hasAllTopologies(node, spreads));
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
  return {
    shift: (node, pod, sign) => {
      if (pod.namespace !== cycle.info.namespace || !hasAllTopologies(node, spreads)) return;
      for (const [at, { topologyKey, selector, includes }] of spreads.entries()) {
        if (!selector.matches(pod.labels) || (includes && !includes(node))) continue;
        const value = node.facts.labels[topologyKey] ?? "";
        domains[at]?.set(value, (domains[at].get(value) ?? 0) + sign);
        isStale = true;
      }
    },
    check: (node) => {
      if (isStale) floors = floorsOf();
      isStale = false;
      for (const [at, { topologyKey, maxSkew, selector }] of spreads.entries()) {
        const value = node.facts.labels[topologyKey];
        if (value === undefined) return withoutLabel;
        const own = selector.matches(cycle.info.labels) ? 1 : 0;
        const skew = (domains[at]?.get(value) ?? 0) + own - (floors[at] ?? 0);
        if (skew > maxSkew) return rejection;
      }
      return undefined;
    },
  };
}

/** Matching pods by the value of the topology key, over the nodes that count. */
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
): Score {
  const ignored = new Set(needsAllTopologies ? feasible.filter((node) => !hasAllTopologies(node, spreads)) : []);
  const considered = feasible.filter((node) => !ignored.has(node));
  const counters = spreads.map((spread) => counterOf(cycle, spread, spreads, considered, needsAllTopologies));
  return {
    score: (node) => {
      if (ignored.has(node)) return 0;
      return Math.round(counters.reduce((sum, counter) => sum + counter(node), 0));
    },
    normalize: (scores, nodes) => normalize(scores, nodes, ignored),
  };
}

/** What one constraint holds against a node: its like pods there, weighed by how many domains there are. */
function counterOf(
  { info, snapshot }: Cycle,
  spread: Spread,
  spreads: readonly Spread[],
  considered: readonly NodeInfo[],
  needsAllTopologies: boolean,
): (node: NodeInfo) => number {
  const { topologyKey, maxSkew } = spread;
  // Upstream counts nothing for a selector that restricts nothing.
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

/** Fewest like pods is best; an ignored node gets nothing. */
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
    else scores[at] = highest === 0 ? maxScore : Math.trunc((maxScore * (highest + lowest - score)) / highest);
  }
}
