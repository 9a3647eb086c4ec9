// Which changes may let a pod through that affinity between pods kept away (upstream: InterPodAffinity's queueing hints).
import type { Node, Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Labels } from "../../../shared/k8s/labels.ts";
import type { Change } from "../cluster-event.ts";
import { isPlaced } from "../pending.ts";
import type { Cycle } from "../framework.ts";
import { type PodTerm, podTermsOf, termMatches } from "../pod-terms.ts";

export function affinityWakes(cycle: Cycle, change: Change): boolean {
  if (change.kind === "Pod") return podMatters(cycle, change.after, change.before);
  return change.kind === "Node" && change.after !== undefined && nodeMatters(cycle, change.after, change.before);
}

function podMatters({ pod, namespaceLabels }: Cycle, after: Pod | undefined, before: Pod | undefined): boolean {
  if (after && before && after.metadata.uid === pod.metadata.uid) return true;
  if ([after, before].some((one) => one && !isPlaced(one))) return false;
  const own = podTermsOf(pod);
  const matches = (terms: readonly PodTerm[] | undefined, { metadata }: Pod) => {
    const { namespace = "", labels = {} } = metadata;
    return (
      (terms ?? []).length > 0 &&
      terms?.every((one) => termMatches(one, { namespace, labels }, namespaceLabels(namespace)))
    );
  };
  if (after && before) {
    const comesNear = !matches(own?.required, before) && matches(own?.required, after);
    return comesNear || (matches(own?.requiredAnti, before) === true && !matches(own?.requiredAnti, after));
  }
  if (after) return matches(own?.required, after) === true;
  if (!before) return false;
  return matches(own?.requiredAnti, before) === true || matches(podTermsOf(before)?.requiredAnti, pod) === true;
}

function nodeMatters({ pod }: Cycle, after: Node, before: Node | undefined): boolean {
  const { required = [], requiredAnti = [] } = podTermsOf(pod) ?? {};
  const now = labelsOf(after);
  if (!before) return requiredAnti.length > 0 || required.some(({ topologyKey }) => now[topologyKey] !== undefined);
  const then = labelsOf(before);
  const differs = ({ topologyKey }: PodTerm) => now[topologyKey] !== then[topologyKey];
  const comes = required.some((term) => differs(term) && now[term.topologyKey] !== undefined);
  return comes || requiredAnti.some((term) => differs(term) && then[term.topologyKey] !== undefined);
}

function labelsOf({ metadata }: Node): Labels {
  return metadata.labels ?? {};
}
