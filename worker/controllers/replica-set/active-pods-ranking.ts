// Ranks the pods that a ReplicaSet deletes (upstream: ActivePodsWithRanks).
import type { Pod, PodPhase } from "../../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { isPodActive, isPodReady, readyTransitionMs } from "../common/pod-ready.ts";

/**
 * Returns the `count` pods to delete. `related` are the pods of all ReplicaSets with the same owner, which determine how crowded a node is.
 */
export function podsToDelete(pods: readonly Pod[], related: readonly Pod[], count: number, nowMs: number): Pod[] {
  // If all pods are deleted, no ranking is needed.
  if (count >= pods.length) return [...pods];
  const onNode = new Map<string, number>();
  for (const { spec } of related.filter(isPodActive)) {
    onNode.set(spec.nodeName ?? "", (onNode.get(spec.nodeName ?? "") ?? 0) + 1);
  }
  const rank = (pod: Pod) => onNode.get(pod.spec.nodeName ?? "") ?? 0;
  return [...pods].sort((a, b) => compare(a, b, rank, nowMs)).slice(0, count);
}

/** Compares pods: negative if `a` is deleted first. A line decides only if all lines above are equal. */
function compare(a: Pod, b: Pod, rank: (pod: Pod) => number, nowMs: number): number {
  return (
    // Unscheduled pods first; then pending, unknown, running; then not ready before ready.
    Number(Boolean(a.spec.nodeName)) - Number(Boolean(b.spec.nodeName)) ||
    phaseOrder(a.status.phase) - phaseOrder(b.status.phase) ||
    Number(isPodReady(a)) - Number(isPodReady(b)) ||
    deletionCost(a) - deletionCost(b) ||
    // Pods on more crowded nodes first.
    rank(b) - rank(a) ||
    compareAges(a, b, readyMs(a), readyMs(b), nowMs) ||
    compareRestarts(a, b) ||
    compareAges(a, b, creationMs(a), creationMs(b), nowMs)
  );
}

function phaseOrder(phase: PodPhase | undefined): number {
  if (phase === "Running") return 2;
  return phase === "Unknown" ? 1 : 0;
}

/** Returns the value of `controller.kubernetes.io/pod-deletion-cost`. A value that is not a 32-bit integer counts as 0. */
export function deletionCost(pod: Pod): number {
  const text = pod.metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? "";
  if (!/^(-\d+|0|[1-9]\d*)$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0;
}

/** Compares ages: unknown, then younger, then older. Ages of the same power of two are equal and ordered by uid. */
function compareAges(a: Pod, b: Pod, aMs: number | undefined, bMs: number | undefined, nowMs: number): number {
  if (aMs === bMs) return 0;
  if (aMs === undefined || bMs === undefined) return aMs === undefined ? -1 : 1;
  return logarithmicAge(nowMs - aMs) - logarithmicAge(nowMs - bMs) || compareText(a.metadata.uid, b.metadata.uid);
}

/** Returns the logarithm of an age in nanoseconds, as upstream does. */
function logarithmicAge(ms: number): number {
  return ms > 0 ? Math.trunc(Math.log2(ms * 1e6)) : -1;
}

/** Returns the time since which a pod is ready. Only compared between ready pods. */
function readyMs(pod: Pod): number | undefined {
  return isPodReady(pod) ? readyTransitionMs(pod) : undefined;
}

function creationMs(pod: Pod): number | undefined {
  const { creationTimestamp } = pod.metadata;
  return creationTimestamp ? parseTime(creationTimestamp) : undefined;
}

/** Compares restarts: more first, of containers, then of sidecars. */
function compareRestarts(a: Pod, b: Pod): number {
  return containerRestarts(b) - containerRestarts(a) || sidecarRestarts(b) - sidecarRestarts(a);
}

function containerRestarts(pod: Pod): number {
  return Math.max(0, ...(pod.status.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}

function sidecarRestarts(pod: Pod): number {
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const names = new Set(sidecars.map(({ name }) => name));
  const statuses = (pod.status.initContainerStatuses ?? []).filter(({ name }) => names.has(name));
  return Math.max(0, ...statuses.map(({ restartCount }) => restartCount));
}

function compareText(a = "", b = ""): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
