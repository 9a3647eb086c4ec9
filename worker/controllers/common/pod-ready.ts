// Reports whether a pod is active, terminating, ready or available, and when it will be available.
import type { Pod, PodCondition } from "../../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../../shared/k8s/time.ts";

export function isPodActive(pod: Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

export function isPodTerminating(pod: Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp !== undefined;
}

/** Reports whether all containers have ended and none will restart. */
export function isPodTerminal(pod: Pod): boolean {
  return pod.status.phase === "Succeeded" || pod.status.phase === "Failed";
}

export function readyCondition(pod: Pod): PodCondition | undefined {
  return pod.status.conditions?.find(({ type }) => type === "Ready");
}

export function isPodReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === "True";
}

/** Returns the time of the last change of the Ready condition, in milliseconds; undefined if unknown. */
export function readyTransitionMs(pod: Pod): number | undefined {
  const time = readyCondition(pod)?.lastTransitionTime;
  return time ? parseTime(time) : undefined;
}

/** Reports whether a pod has been ready for at least `minReadySeconds`. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  if (!isPodReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readyTransitionMs(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= nowMs;
}

/** Returns the time until the next ready pod becomes available, if any. */
export function findMinNextPodAvailabilityCheckMs(
  pods: readonly Pod[],
  minReadySeconds: number,
  nowMs: number,
): number | undefined {
  if (minReadySeconds <= 0) return undefined;
  const waits = pods
    .filter(isPodReady)
    .map(readyTransitionMs)
    .filter((since) => since !== undefined)
    .map((since) => since + minReadySeconds * 1000 - nowMs)
    .filter((wait) => wait > 0);
  return waits.length > 0 ? Math.min(...waits) : undefined;
}
