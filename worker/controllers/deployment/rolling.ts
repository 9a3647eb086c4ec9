// The sums of a rolling update: how many pods may be above and below what is wanted, and which ReplicaSet gets how many.
import type { Deployment, ReplicaSet } from "../../../shared/k8s/api/apps-v1.ts";
import { getScaledValueFromIntOrPercent } from "../../../shared/k8s/intstr.ts";
import { byCreation, bySizeNewer, bySizeOlder } from "./replica-set-order.ts";
import { maxReplicasOf } from "./annotations.ts";

export function wantedReplicas(object: Deployment | ReplicaSet): number {
  return object.spec.replicas ?? 1;
}

export function isRollingUpdate(deployment: Deployment): boolean {
  return deployment.spec.strategy.type === "RollingUpdate";
}

export function maxSurge(deployment: Deployment): number {
  return isRollingUpdate(deployment) ? resolveFenceposts(deployment).surge : 0;
}

export function maxUnavailable(deployment: Deployment): number {
  const wanted = wantedReplicas(deployment);
  if (!isRollingUpdate(deployment) || wanted === 0) return 0;
  return Math.min(resolveFenceposts(deployment).unavailable, wanted);
}

/** Where both come out as 0, one pod may be unavailable, since something has to move. */
function resolveFenceposts(deployment: Deployment): { surge: number; unavailable: number } {
  const wanted = wantedReplicas(deployment);
  const { rollingUpdate } = deployment.spec.strategy;
  const surge = getScaledValueFromIntOrPercent(rollingUpdate?.maxSurge ?? 0, wanted, true);
  const unavailable = getScaledValueFromIntOrPercent(rollingUpdate?.maxUnavailable ?? 0, wanted, false);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

export function sumOf(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number | undefined): number {
  return sets.reduce((sum, set) => sum + (count(set) ?? 0), 0);
}

/** Those that have, or ought to have, pods. */
export function activeSets(sets: readonly ReplicaSet[]): ReplicaSet[] {
  return sets.filter((set) => wantedReplicas(set) > 0);
}

/** What the new ReplicaSet may be scaled up to now. `current` is its size, `total` that of all. */
export function newRSNewReplicas(deployment: Deployment, current: number, total: number): number {
  const wanted = wantedReplicas(deployment);
  if (!isRollingUpdate(deployment)) return wanted;
  const surge = getScaledValueFromIntOrPercent(deployment.spec.strategy.rollingUpdate?.maxSurge ?? 0, wanted, true);
  const room = wanted + surge - total;
  // No more than are wanted, whatever room there is.
  return room <= 0 ? current : current + Math.min(room, wanted - current);
}

export interface Scaling {
  readonly name: string;
  readonly replicas: number;
}

/**
 * The scalings, in their order, by which old ReplicaSets give way: first pods that are not available (they hold a rollout up and
 * nobody misses them), then as many available ones as minimum availability allows.
 */
export function scaleDownOldSets(
  deployment: Deployment,
  newSet: ReplicaSet,
  allOldSets: readonly ReplicaSet[],
): Scaling[] {
  const oldSets = activeSets(allOldSets).sort(byCreation);
  const minAvailable = wantedReplicas(deployment) - maxUnavailable(deployment);
  const total = sumOf([...allOldSets, newSet], wantedReplicas);
  const newUnavailable = wantedReplicas(newSet) - (newSet.status.availableReplicas ?? 0);
  const removable = total - minAvailable - newUnavailable;
  if (oldSets.length === 0 || removable <= 0) return [];
  const sizes = new Map(oldSets.map((set) => [set.metadata.name ?? "", wantedReplicas(set)]));
  const unavailableIn = (set: ReplicaSet, size: number) => size - (set.status.availableReplicas ?? 0);
  const cleanedUp = takeFrom(oldSets, sizes, removable, unavailableIn);
  // A ReplicaSet that was scaled down and has not acted yet still counts pods that are as good as gone.
  const availableIn = (set: ReplicaSet) => Math.min(set.status.availableReplicas ?? 0, wantedReplicas(set));
  const available = sumOf([...oldSets, newSet], availableIn);
  return [...cleanedUp, ...takeFrom(oldSets, sizes, available - minAvailable, (_set, size) => size)];
}

/** Takes up to `budget` replicas, from each set in turn what `takeable` says; `sizes` is kept. */
function takeFrom(
  sets: readonly ReplicaSet[],
  sizes: Map<string, number>,
  budget: number,
  takeable: (set: ReplicaSet, size: number) => number,
): Scaling[] {
  const steps: Scaling[] = [];
  let left = budget;
  for (const set of sets) {
    const name = set.metadata.name ?? "";
    const size = sizes.get(name) ?? 0;
    const taken = Math.min(left, takeable(set, size), size);
    if (taken <= 0) continue;
    left -= taken;
    sizes.set(name, size - taken);
    steps.push({ name, replicas: size - taken });
  }
  return steps;
}

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
    const share = getReplicaSetProportion(set, deployment, toAdd, added);
    added += share;
    return { name: set.metadata.name ?? "", replicas: wantedReplicas(set) + share };
  });
  return sizes.map((one, at) => (at === 0 ? { ...one, replicas: Math.max(0, one.replicas + toAdd - added) } : one));
}

/** Never further than what is still to be added or removed. */
function getReplicaSetProportion(set: ReplicaSet, deployment: Deployment, toAdd: number, added: number): number {
  if (wantedReplicas(set) === 0 || toAdd === added) return 0;
  const share = getReplicaSetFraction(set, deployment);
  return toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
}

function getReplicaSetFraction(set: ReplicaSet, deployment: Deployment): number {
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
