// Which changes may let a pod through that its spread constraints kept away (upstream: PodTopologySpread's queueing hints).
import type { Node, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import type { Labels } from "../../../shared/k8s/labels.ts";
import type { Change } from "../cluster-event.ts";
import { isPlaced } from "../pending.ts";
import type { Cycle } from "../framework.ts";
import { type Spread, ownSpreads } from "./spread-constraints.ts";

export function spreadWakes(cycle: Cycle, change: Change): boolean {
  if (change.kind === "Pod") return podMatters(cycle, change.after, change.before);
  return change.kind === "Node" && nodeMatters(cycle, change.after, change.before);
}

function podMatters(cycle: Cycle, after: Pod | undefined, before: Pod | undefined): boolean {
  const { pod } = cycle;
  if ([after, before].some((one) => one && !isInvolved(one, pod))) return false;
  const spreads = ownSpreads(cycle, "DoNotSchedule");
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

/** The pod itself, or one of its namespace that has a place. */
function isInvolved(one: Pod, pod: Pod): boolean {
  if (one.metadata.uid === pod.metadata.uid) return true;
  return isPlaced(one) && one.metadata.namespace === pod.metadata.namespace;
}

function honorsTaints({ spec }: Pod): boolean {
  return (
    spec.topologySpreadConstraints?.some(
      (one) => one.whenUnsatisfiable === "DoNotSchedule" && one.nodeTaintsPolicy === "Honor",
    ) ?? false
  );
}

function nodeMatters(cycle: Cycle, after: Node | undefined, before: Node | undefined): boolean {
  const spreads = ownSpreads(cycle, "DoNotSchedule");
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
