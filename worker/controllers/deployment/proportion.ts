// Proportional scaling: a Deployment that is scaled in the middle of a rollout scales all its ReplicaSets, each by its share.
import type { Deployment, ReplicaSet } from "../../../shared/k8s/api/apps-v1.ts";
import { maxReplicasOf } from "./annotations.ts";
import { type Scaling, activeSets, maxSurge, sumOf, wantedReplicas } from "./rolling.ts";
import { bySizeNewer, bySizeOlder } from "./replica-set-order.ts";

/** The size of each active ReplicaSet after the Deployment was scaled; what rounding leaves over goes to the largest. */
export function proportionalSizes(deployment: Deployment, sets: readonly ReplicaSet[]): Scaling[] {
  const wanted = wantedReplicas(deployment);
  const allowed = wanted > 0 ? wanted + maxSurge(deployment) : 0;
  const active = activeSets(sets);
  const toAdd = allowed - sumOf(active, wantedReplicas);
  // Growing favours the newer of two equals, shrinking spares it.
  if (toAdd !== 0) active.sort(toAdd > 0 ? bySizeNewer : bySizeOlder);
  let added = 0;
  const sizes = active.map((set) => {
    const share = proportion(set, deployment, toAdd, added);
    added += share;
    return { name: set.metadata.name ?? "", replicas: wantedReplicas(set) + share };
  });
  return sizes.map((one, at) => (at === 0 ? { ...one, replicas: Math.max(0, one.replicas + toAdd - added) } : one));
}

/** Upstream's `GetReplicaSetProportion`: never further than what is still to be added or removed. */
function proportion(set: ReplicaSet, deployment: Deployment, toAdd: number, added: number): number {
  if (wantedReplicas(set) === 0 || toAdd === added) return 0;
  const share = fraction(set, deployment);
  return toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
}

/** Upstream's `getReplicaSetFraction`. */
function fraction(set: ReplicaSet, deployment: Deployment): number {
  const size = wantedReplicas(set);
  const wanted = wantedReplicas(deployment);
  if (wanted === 0) return -size;
  // The annotation may have been removed or broken by hand: then the present size has to do.
  const before = maxReplicasOf(set) || deployment.status.replicas || 0;
  if (before === 0) return 0;
  return roundHalfAwayFromZero((size * (wanted + maxSurge(deployment))) / before) - size;
}

function roundHalfAwayFromZero(value: number): number {
  return Math.trunc(value < 0 ? value - 0.5 : value + 0.5);
}
