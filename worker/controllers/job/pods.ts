// Reads a job's pods: the tracking finalizer, the index, the result and the end time.
import type { Job } from "../../../shared/k8s/api/batch-v1.ts";
import type { ContainerStatus, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { type KubeObject, isBeingDeleted } from "../../../shared/k8s/meta.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { readyCondition } from "../common/pod-ready.ts";

/** The finalizer that keeps a pod until it is counted. */
export const jobTrackingFinalizer = "batch.kubernetes.io/job-tracking";
/** The key of an annotation and of a label. */
export const completionIndexKey = "batch.kubernetes.io/job-completion-index";
export const indexFailuresKey = "batch.kubernetes.io/job-index-failure-count";
export const ignoredIndexFailuresKey = "batch.kubernetes.io/job-index-ignored-failure-count";
const maxInt32 = 2 ** 31 - 1;

export function isTracked({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(jobTrackingFinalizer) ?? false;
}

export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === "Indexed";
}

/** Returns the index in the annotation, even if it is beyond the completions; undefined if there is none. */
export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[completionIndexKey] ?? "";
  return /^\+?[0-9]+$/.test(text) ? Number(text) : undefined;
}

/** Returns the index if it is below the completions. */
export function validIndex(pod: Pod, { spec }: Job): number | undefined {
  const index = indexOf(pod);
  return index !== undefined && index < (spec.completions ?? 0) ? index : undefined;
}

/** Reports whether a terminating pod is not replaced before it has failed. */
export function onlyReplaceFailedPods({ spec }: Job): boolean {
  return spec.podReplacementPolicy === "Failed" || spec.podFailurePolicy !== undefined;
}

export function isPodFailed(pod: Pod, job: Job): boolean {
  if (pod.status.phase === "Failed") return true;
  return !onlyReplaceFailedPods(job) && isBeingDeleted(pod) && pod.status.phase !== "Succeeded";
}

/** Returns the earlier failures of the index, and how many of them were ignored. */
export function earlierFailures({ metadata }: Pod): { readonly counted: number; readonly ignored: number } {
  const count = (key: string) => {
    const text = metadata.annotations?.[key] ?? "";
    const value = /^\+?[0-9]+$/.test(text) ? Number(text) : 0;
    return value > maxInt32 ? 0 : value;
  };
  return { counted: count(indexFailuresKey), ignored: count(ignoredIndexFailuresKey) };
}

export function allEarlierFailures(pod: Pod): number {
  const { counted, ignored } = earlierFailures(pod);
  return counted + ignored;
}

/** Returns the end time by the containers, else by readiness, deletion or creation. */
export function getFinishedTimeMs(pod: Pod): number {
  const ready = readyCondition(pod);
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata;
  const ofContainers = containersFinishedMs(pod);
  if (ofContainers !== undefined) return ofContainers;
  if (ready?.status === "False" && ready.lastTransitionTime) return parseTime(ready.lastTransitionTime);
  if (deletionTimestamp) return parseTime(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  return creationTimestamp ? parseTime(creationTimestamp) : 0;
}

function containersFinishedMs({ spec, status }: Pod): number | undefined {
  const sidecars = new Set(
    (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always").map(({ name }) => name),
  );
  const ofSidecars = (status.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name));
  const times = [...(status.containerStatuses ?? []), ...ofSidecars].map(endMs);
  if (times.length === 0 || times.includes(undefined)) return undefined;
  return Math.max(...times.filter((time) => time !== undefined));
}

function endMs({ state }: ContainerStatus): number | undefined {
  const time = state.terminated?.finishedAt;
  return time ? parseTime(time) : undefined;
}
