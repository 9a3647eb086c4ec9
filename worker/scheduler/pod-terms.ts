// Terms of affinity between pods, ready to be matched.
import type { Pod, PodAffinityTerm, WeightedPodAffinityTerm } from "../../shared/k8s/api/core-v1.ts";
import { type Labels, type Selector, selectorFrom } from "../../shared/k8s/labels.ts";

export interface PodTerm {
  readonly topologyKey: string;
  readonly namespaces: readonly string[];
  readonly namespaceSelector: Selector;
  readonly selector: Selector;
  /** 1 for a required term (upstream's default `hardPodAffinityWeight`). */
  readonly weight: number;
}

export interface PodTerms {
  readonly required: readonly PodTerm[];
  readonly requiredAnti: readonly PodTerm[];
  readonly preferred: readonly PodTerm[];
  readonly preferredAnti: readonly PodTerm[];
}

/** What a term is matched against. */
export interface Matchable {
  readonly namespace: string;
  readonly labels: Labels;
}

/** Undefined for a pod without any such terms. */
export function podTermsOf(pod: Pod): PodTerms | undefined {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  if (!podAffinity && !podAntiAffinity) return undefined;
  const namespace = pod.metadata.namespace ?? "";
  const required = (terms: readonly PodAffinityTerm[] = []) => terms.map((term) => termOf(term, namespace, 1));
  const preferred = (terms: readonly WeightedPodAffinityTerm[] = []) =>
    terms.map(({ podAffinityTerm, weight }) => termOf(podAffinityTerm, namespace, weight));
  return {
    required: required(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    requiredAnti: required(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferred: preferred(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAnti: preferred(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
  };
}

export function termMatches(term: PodTerm, { namespace, labels }: Matchable, namespaceLabels: Labels): boolean {
  const inReach = term.namespaces.includes(namespace) || term.namespaceSelector.matches(namespaceLabels);
  return inReach && term.selector.matches(labels);
}

function termOf(term: PodAffinityTerm, namespace: string, weight: number): PodTerm {
  const ownOnly = (term.namespaces?.length ?? 0) === 0 && term.namespaceSelector === undefined;
  return {
    topologyKey: term.topologyKey,
    namespaces: ownOnly ? [namespace] : (term.namespaces ?? []),
    namespaceSelector: selectorFrom(term.namespaceSelector),
    selector: selectorFrom(term.labelSelector),
    weight,
  };
}
