// InterPodAffinity: places pods near other pods, or away from them.
import type { Labels } from "../../../shared/k8s/selectors/labels.ts";
import type { NodeInfo } from "../node-info.ts";
import { type PodInfo, type AffinityTerm, type AffinityTerms, termMatches, affinityTermsOf } from "../pod-info.ts";
import {
  type Cycle,
  type PreFilter,
  type Plugin,
  maxNodeScore,
  unschedulable,
  unschedulableAndUnresolvable,
} from "../framework.ts";
import type { Node, Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { ClusterEvent } from "../cluster-event.ts";
import { isPlaced } from "../pending.ts";

const affinityRejection = unschedulableAndUnresolvable("node(s) didn't match pod affinity rules");
const antiAffinityRejection = unschedulable("node(s) didn't match pod anti-affinity rules");
const existingRejection = unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");

export const interPodAffinity: Plugin = {
  name: "InterPodAffinity",
  weight: 2,
  preFilter(cycle) {
    const { terms } = cycle.info;
    const existing = existingAntiAffinity(cycle);
    const hasRequired = (terms?.required.length ?? 0) + (terms?.requiredAnti.length ?? 0) > 0;
    if (!hasRequired && existing.size === 0) return undefined;
    return filterBy(cycle, terms ?? noTerms, existing);
  },
  eventsToRegister: ["Pod/Add", "Pod/UpdatePodLabel", "Pod/Delete", "Node/Add", "Node/UpdateNodeLabel"],
  queueingHint: queueingHint,
  preScore(cycle) {
    const preferences = preferencesOf(cycle);
    if (preferences.size === 0) return undefined;
    return {
      score: (node) => preferences.sumFor(node.facts.labels),
      normalizeScore: (scores) => {
        const highest = Math.max(...scores);
        const lowest = Math.min(...scores);
        const span = highest - lowest;
        for (const [at, score] of scores.entries()) {
          scores[at] = span > 0 ? Math.trunc(maxNodeScore * ((score - lowest) / span)) : 0;
        }
      },
    };
  },
};

const noTerms: AffinityTerms = { required: [], requiredAnti: [], preferred: [], preferredAnti: [], comparisons: 0 };

/** Counts the domains that existing pods exclude by their anti-affinity. */
function existingAntiAffinity({ info, snapshot, namespaceLabels }: Cycle): TopologySums {
  const sums = new TopologySums();
  if (snapshot.nodesWithAffinity.size === 0) return sums;
  const namespaceLabelsOfPod = namespaceLabels(info.namespace);
  for (const { exists, podsWithAffinity, facts } of snapshot.nodesWithAffinity) {
    if (!exists) continue;
    for (const { terms } of podsWithAffinity) {
      for (const term of terms?.requiredAnti ?? []) {
        if (termMatches(term, info, namespaceLabelsOfPod)) sums.add(term.topologyKey, facts.labels, 1);
      }
    }
  }
  return sums;
}

function filterBy(cycle: Cycle, { required, requiredAnti }: AffinityTerms, existing: TopologySums): PreFilter {
  const { info, snapshot, namespaceLabels } = cycle;
  const near = new TopologySums();
  const far = new TopologySums();
  const matches = (term: AffinityTerm, pod: PodInfo) => termMatches(term, pod, namespaceLabels(pod.namespace));
  const matchesAll = (pod: PodInfo) => required.length > 0 && required.every((term) => matches(term, pod));
  const count = (pod: PodInfo, { labels }: NodeInfo["facts"], amount: number) => {
    if (matchesAll(pod)) for (const { topologyKey } of required) near.add(topologyKey, labels, amount);
    for (const term of requiredAnti) if (matches(term, pod)) far.add(term.topologyKey, labels, amount);
  };
  const nodes = required.length + requiredAnti.length > 0 ? snapshot.nodeInfoList : [];
  for (const { pods, facts } of nodes) for (const pod of pods.values()) count(pod, facts, 1);
  const shift = (pod: PodInfo, facts: NodeInfo["facts"], sign: 1 | -1) => {
    count(pod, facts, sign);
    for (const term of pod.terms?.requiredAnti ?? []) {
      if (termMatches(term, info, namespaceLabels(info.namespace))) existing.add(term.topologyKey, facts.labels, sign);
    }
  };
  // The first pod of a group with affinity to itself matches no pod yet, so it may go anywhere.
  const mayBeFirst = required.every((term) => matches(term, info));
  return {
    addPod: ({ facts }, pod) => shift(pod, facts, 1),
    removePod: ({ facts }, pod) => shift(pod, facts, -1),
    filter: ({ facts: { labels } }) => {
      if (required.some(({ topologyKey }) => labels[topologyKey] === undefined)) return affinityRejection;
      const isFirst = mayBeFirst && near.size === 0;
      if (!isFirst && required.some(({ topologyKey }) => near.at(topologyKey, labels) <= 0)) return affinityRejection;
      if (requiredAnti.some(({ topologyKey }) => far.at(topologyKey, labels) > 0)) return antiAffinityRejection;
      return existing.anyFor(labels) ? existingRejection : undefined;
    },
  };
}

function preferencesOf(cycle: Cycle): TopologySums {
  const { info, snapshot, namespaceLabels } = cycle;
  const sums = new TopologySums();
  const { preferred, preferredAnti } = info.terms ?? noTerms;
  const hasOwn = preferred.length + preferredAnti.length > 0;
  if (!hasOwn && snapshot.nodesWithAffinity.size === 0) return sums;
  const ownNamespace = namespaceLabels(info.namespace);
  const weigh = (node: NodeInfo, terms: readonly AffinityTerm[], sign: 1 | -1, target: PodInfo, labels: Labels) => {
    for (const term of terms) {
      if (termMatches(term, target, labels)) sums.add(term.topologyKey, node.facts.labels, sign * term.weight);
    }
  };
  for (const node of hasOwn ? snapshot.nodeInfoList : snapshot.nodesWithAffinity) {
    if (!node.exists) continue;
    for (const pod of hasOwn ? node.pods.values() : node.podsWithAffinity) {
      if (hasOwn) {
        const labels = namespaceLabels(pod.namespace);
        weigh(node, preferred, 1, pod, labels);
        weigh(node, preferredAnti, -1, pod, labels);
      }
      if (!pod.terms) continue;
      weigh(node, pod.terms.required, 1, info, ownNamespace);
      weigh(node, pod.terms.preferred, 1, info, ownNamespace);
      weigh(node, pod.terms.preferredAnti, -1, info, ownNamespace);
    }
  }
  return sums;
}

function queueingHint(cycle: Cycle, change: ClusterEvent): boolean {
  if (change.resource === "Pod") return podMatters(cycle, change.newObj, change.oldObj);
  return change.resource === "Node" && change.newObj !== undefined && nodeMatters(cycle, change.newObj, change.oldObj);
}

function podMatters({ pod, namespaceLabels }: Cycle, after: Pod | undefined, before: Pod | undefined): boolean {
  if (after && before && after.metadata.uid === pod.metadata.uid) return true;
  if ([after, before].some((version) => version && !isPlaced(version))) return false;
  const terms = affinityTermsOf(pod);
  const matches = (terms: readonly AffinityTerm[] | undefined, { metadata }: Pod) => {
    const { namespace = "", labels = {} } = metadata;
    return (
      (terms ?? []).length > 0 &&
      terms?.every((term) => termMatches(term, { namespace, labels }, namespaceLabels(namespace)))
    );
  };
  if (after && before) {
    const comesNear = !matches(terms?.required, before) && matches(terms?.required, after);
    return comesNear || (matches(terms?.requiredAnti, before) === true && !matches(terms?.requiredAnti, after));
  }
  if (after) return matches(terms?.required, after) === true;
  if (!before) return false;
  return matches(terms?.requiredAnti, before) === true || matches(affinityTermsOf(before)?.requiredAnti, pod) === true;
}

function nodeMatters({ pod }: Cycle, after: Node, before: Node | undefined): boolean {
  const { required = [], requiredAnti = [] } = affinityTermsOf(pod) ?? {};
  const now = labelsOf(after);
  if (!before) return requiredAnti.length > 0 || required.some(({ topologyKey }) => now[topologyKey] !== undefined);
  const then = labelsOf(before);
  const differs = ({ topologyKey }: AffinityTerm) => now[topologyKey] !== then[topologyKey];
  const comes = required.some((term) => differs(term) && now[term.topologyKey] !== undefined);
  return comes || requiredAnti.some((term) => differs(term) && then[term.topologyKey] !== undefined);
}

function labelsOf({ metadata }: Node): Labels {
  return metadata.labels ?? {};
}

class TopologySums {
  readonly #sums = new Map<string, Map<string, number>>();

  get size(): number {
    return this.#sums.size;
  }

  add(topologyKey: string, labels: Labels, amount: number): void {
    const value = labels[topologyKey];
    if (value === undefined || amount === 0) return;
    const sums = this.#sums.get(topologyKey) ?? new Map<string, number>();
    this.#sums.set(topologyKey, sums);
    const sum = (sums.get(value) ?? 0) + amount;
    if (sum === 0) sums.delete(value);
    else sums.set(value, sum);
    if (sums.size === 0) this.#sums.delete(topologyKey);
  }

  at(topologyKey: string, labels: Labels): number {
    const value = labels[topologyKey];
    return value === undefined ? 0 : (this.#sums.get(topologyKey)?.get(value) ?? 0);
  }

  sumFor(labels: Labels): number {
    let sum = 0;
    for (const topologyKey of this.#sums.keys()) sum += this.at(topologyKey, labels);
    return sum;
  }

  anyFor(labels: Labels): boolean {
    return [...this.#sums.keys()].some((topologyKey) => this.at(topologyKey, labels) > 0);
  }
}
