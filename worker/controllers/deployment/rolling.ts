// Computes the sizes in a rolling update: the allowed surge and unavailability, and the size of each ReplicaSet.
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
  const desired = wantedReplicas(deployment);
  if (!isRollingUpdate(deployment) || desired === 0) return 0;
  return Math.min(resolveFenceposts(deployment).unavailable, desired);
}

/** Resolves the limits. If both are 0, one pod may be unavailable, so that the rollout can proceed. */
function resolveFenceposts(deployment: Deployment): { surge: number; unavailable: number } {
  const desired = wantedReplicas(deployment);
  const { rollingUpdate } = deployment.spec.strategy;
  const surge = getScaledValueFromIntOrPercent(rollingUpdate?.maxSurge ?? 0, desired, true);
  const unavailable = getScaledValueFromIntOrPercent(rollingUpdate?.maxUnavailable ?? 0, desired, false);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

export function sumOf(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number | undefined): number {
  return sets.reduce((sum, set) => sum + (count(set) ?? 0), 0);
}

/** Returns the ReplicaSets that have pods, or should have pods. */
export function activeSets(sets: readonly ReplicaSet[]): ReplicaSet[] {
  return sets.filter((set) => wantedReplicas(set) > 0);
}

/** Returns the size that the new ReplicaSet may have now. `current` is its size, `total` that of all. */
export function newRSNewReplicas(deployment: Deployment, current: number, total: number): number {
  const desired = wantedReplicas(deployment);
  if (!isRollingUpdate(deployment)) return desired;
  const surge = getScaledValueFromIntOrPercent(deployment.spec.strategy.rollingUpdate?.maxSurge ?? 0, desired, true);
  const room = desired + surge - total;
  // The size never exceeds the desired one.
  return room <= 0 ? current : current + Math.min(room, desired - current);
}

export interface Scaling {
  readonly name: string;
  readonly replicas: number;
}

/**
 * Returns the scalings of old ReplicaSets in order: first unavailable pods, which block the rollout, then as many available ones as minimum
 * availability allows.
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
  // Until a ReplicaSet has acted on a scaling, it reports pods that will be deleted.
  const availableIn = (set: ReplicaSet) => Math.min(set.status.availableReplicas ?? 0, wantedReplicas(set));
  const available = sumOf([...oldSets, newSet], availableIn);
  return [...cleanedUp, ...takeFrom(oldSets, sizes, available - minAvailable, (_set, size) => size)];
}

/** Removes up to `budget` replicas, from each set in turn up to `takeable`. Updates `sizes`. */
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

/** Returns the size of each active ReplicaSet after a scaling of the Deployment. The largest gets the rounding remainder. */
export function proportionalSizes(deployment: Deployment, sets: readonly ReplicaSet[]): Scaling[] {
  const desired = wantedReplicas(deployment);
  const allowed = desired > 0 ? desired + maxSurge(deployment) : 0;
  const active = activeSets(sets);
  const toAdd = allowed - sumOf(active, wantedReplicas);
  // When growing, the newer of two equal sets comes first; when shrinking, it comes last.
  if (toAdd !== 0) active.sort(toAdd > 0 ? bySizeNewer : bySizeOlder);
  let added = 0;
  const sizes = active.map((set) => {
    const share = getReplicaSetProportion(set, deployment, toAdd, added);
    added += share;
    return { name: set.metadata.name ?? "", replicas: wantedReplicas(set) + share };
  });
  return sizes.map((scaling, at) =>
    at === 0 ? { ...scaling, replicas: Math.max(0, scaling.replicas + toAdd - added) } : scaling,
  );
}

/** Returns the share of a ReplicaSet, at most the remaining change. */
function getReplicaSetProportion(set: ReplicaSet, deployment: Deployment, toAdd: number, added: number): number {
  if (wantedReplicas(set) === 0 || toAdd === added) return 0;
  const share = getReplicaSetFraction(set, deployment);
  return toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
}

function getReplicaSetFraction(set: ReplicaSet, deployment: Deployment): number {
  const size = wantedReplicas(set);
  const desired = wantedReplicas(deployment);
  if (desired === 0) return -size;
  // If the annotation is missing or invalid, the current size is used.
  const before = maxReplicasOf(set) || deployment.status.replicas || 0;
  if (before === 0) return 0;
  return roundHalfAwayFromZero((size * (desired + maxSurge(deployment))) / before) - size;
}

function roundHalfAwayFromZero(value: number): number {
  return Math.trunc(value < 0 ? value - 0.5 : value + 0.5);
}
