// InterPodAffinity: pods that want to be near others, or far from them.
import type { Labels } from "../../../shared/k8s/labels.ts";
import type { NodeInfo } from "../node-info.ts";
import type { PodInfo } from "../pod-info.ts";
import { type PodTerm, type PodTerms, termMatches } from "../pod-terms.ts";
import { affinityWakes } from "./affinity-changes.ts";
import { type Cycle, type Filter, type Plugin, maxScore, resolvable, unresolvable } from "../framework.ts";
import { TopologySums } from "./topology-sums.ts";

const affinityRejection = unresolvable("node(s) didn't match pod affinity rules");
const antiAffinityRejection = resolvable("node(s) didn't match pod anti-affinity rules");
const existingRejection = resolvable("node(s) didn't satisfy existing pods anti-affinity rules");

export const interPodAffinity: Plugin = {
  name: "InterPodAffinity",
  weight: 2,
  filter(cycle) {
    const { terms } = cycle.info;
    const existing = existingAntiAffinity(cycle);
    const hasRequired = (terms?.required.length ?? 0) + (terms?.requiredAnti.length ?? 0) > 0;
    if (!hasRequired && existing.size === 0) return undefined;
    return filterBy(cycle, terms ?? noTerms, existing);
  },
  wakesOn: ["Pod/add", "Pod/label", "Pod/delete", "Node/add", "Node/label"],
  wakes: affinityWakes,
  score(cycle) {
    const preferences = preferencesOf(cycle);
    if (preferences.size === 0) return undefined;
    return {
      score: (node) => preferences.sumFor(node.facts.labels),
      normalize: (scores) => {
        const highest = Math.max(...scores);
        const lowest = Math.min(...scores);
        const span = highest - lowest;
        for (const [at, score] of scores.entries()) {
          scores[at] = span > 0 ? Math.trunc(maxScore * ((score - lowest) / span)) : 0;
        }
      },
    };
  },
};

const noTerms: PodTerms = { required: [], requiredAnti: [], preferred: [], preferredAnti: [] };

/** Where pods that are there already keep this one away. */
function existingAntiAffinity({ info, snapshot, namespaceLabels }: Cycle): TopologySums {
  const sums = new TopologySums();
  if (snapshot.nodesWithTerms.size === 0) return sums;
  const own = namespaceLabels(info.namespace);
  for (const { exists, podsWithTerms, facts } of snapshot.nodesWithTerms) {
    if (!exists) continue;
    for (const { terms } of podsWithTerms) {
      for (const term of terms?.requiredAnti ?? []) {
        if (termMatches(term, info, own)) sums.add(term.topologyKey, facts.labels, 1);
      }
    }
  }
  return sums;
}

function filterBy(cycle: Cycle, { required, requiredAnti }: PodTerms, existing: TopologySums): Filter {
  const { info, snapshot, namespaceLabels } = cycle;
  const near = new TopologySums();
  const far = new TopologySums();
  const matches = (term: PodTerm, pod: PodInfo) => termMatches(term, pod, namespaceLabels(pod.namespace));
  const matchesAll = (pod: PodInfo) => required.length > 0 && required.every((term) => matches(term, pod));
  const count = (pod: PodInfo, { labels }: NodeInfo["facts"], amount: number) => {
    if (matchesAll(pod)) for (const { topologyKey } of required) near.add(topologyKey, labels, amount);
    for (const term of requiredAnti) if (matches(term, pod)) far.add(term.topologyKey, labels, amount);
  };
  const nodes = required.length + requiredAnti.length > 0 ? snapshot.order : [];
  for (const { pods, facts } of nodes) for (const pod of pods.values()) count(pod, facts, 1);
  // The first of a group that wants to be near itself finds nobody yet.
  const mayBeFirst = required.every((term) => matches(term, info));
  return {
    shift: ({ facts }, pod, sign) => {
      count(pod, facts, sign);
      for (const term of pod.terms?.requiredAnti ?? []) {
        if (termMatches(term, info, namespaceLabels(info.namespace)))
          existing.add(term.topologyKey, facts.labels, sign);
      }
    },
    check: ({ facts: { labels } }) => {
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
  if (!hasOwn && snapshot.nodesWithTerms.size === 0) return sums;
  const ownNamespace = namespaceLabels(info.namespace);
  const weigh = (node: NodeInfo, terms: readonly PodTerm[], sign: 1 | -1, target: PodInfo, labels: Labels) => {
    for (const term of terms) {
      if (termMatches(term, target, labels)) sums.add(term.topologyKey, node.facts.labels, sign * term.weight);
    }
  };
  for (const node of hasOwn ? snapshot.order : snapshot.nodesWithTerms) {
    if (!node.exists) continue;
    for (const pod of hasOwn ? node.pods.values() : node.podsWithTerms) {
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
