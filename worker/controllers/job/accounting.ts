// Counts each ended pod exactly once: its uid is added to the status, then its finalizer is removed, then it is counted.
import type { Job, JobStatus } from "../../../shared/k8s/api/batch-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { isBeingDeleted } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { jobs } from "../../kinds/batch/job/job.ts";
import { pods as podKind } from "../../kinds/core/pod/pod.ts";
import { isPodTerminating } from "../common/pod-ready.ts";
import { ensureJobConditionStatus } from "./conditions.ts";
import { finalOf } from "./ending.ts";
import { isCounted } from "./failure-policy.ts";
import { countOf, has, intervalsText, withIndexes } from "./intervals.ts";
import { isPodFailed, indexOf, isIndexed, isTracked, validIndex } from "./pods.ts";
import { untrack } from "./manage.ts";
import type { Sync } from "./sync.ts";

/** The maximum number of uncounted pods, which bounds the size of the status. */
const maxUncountedPods = 500;

export function trackJobStatusAndRemoveFinalizers(sync: Sync): void {
  const { job, context } = sync;
  const tracked = new Set(sync.pods.filter(isTracked).map(({ metadata }) => metadata.uid ?? ""));
  cleanUncountedPodsWithoutFinalizers(sync, tracked);
  const { done, isFull } = collect(sync);
  if (isIndexed(job)) setIndexes(sync);
  const interim = sync.finished;
  if (interim) {
    if (interim.type === "FailureTarget" || interim.type === "SuccessCriteriaMet") {
      sync.status = {
        ...sync.status,
        conditions: [...ensureJobConditionStatus(sync.status.conditions ?? [], interim)],
      };
    }
    sync.finished = finalOf(interim, context.nowMs);
  }
  flush(sync);
  context.memory.set(job.metadata.uid ?? "", sync.backoff);
  const failure = release(sync, done, tracked);
  cleanUncountedPodsWithoutFinalizers(sync, tracked);
  const hasEnded = !failure && !isFull && enactJobFinished(sync);
  flush(sync);
  if (hasEnded) recordJobFinished(sync);
  if (failure) throw failure;
}

function cleanUncountedPodsWithoutFinalizers(sync: Sync, tracked: ReadonlySet<string>): void {
  const { succeeded = [], failed = [] } = sync.status.uncountedTerminatedPods ?? {};
  const left = {
    succeeded: succeeded.filter((uid) => tracked.has(uid)),
    failed: failed.filter((uid) => tracked.has(uid)),
  };
  sync.status = {
    ...sync.status,
    succeeded: (sync.status.succeeded ?? 0) + succeeded.length - left.succeeded.length,
    failed: (sync.status.failed ?? 0) + failed.length - left.failed.length,
    uncountedTerminatedPods: left,
  };
}

/** Adds the pods that ended, or that end with the job, to the status. Returns those whose finalizers can be removed. */
function collect(sync: Sync): { readonly done: Pod[]; readonly isFull: boolean } {
  const { job, indexes, uncounted } = sync;
  const { succeeded = [], failed = [] } = sync.status.uncountedTerminatedPods ?? {};
  const done: Pod[] = [];
  const newIndexes: number[] = [];
  const pods = isIndexed(job) ? [...sync.pods].sort((a, b) => (indexOf(a) ?? -1) - (indexOf(b) ?? -1)) : sync.pods;
  for (const pod of pods) {
    const uid = pod.metadata.uid ?? "";
    const isFailed = isPodFailed(pod, job);
    if (!isTracked(pod) || !canRemoveFinalizer(sync, pod, isFailed)) continue;
    done.push(pod);
    if (pod.status.phase === "Succeeded" && !uncounted.failed.includes(uid)) {
      const index = validIndex(pod, job);
      if (!isIndexed(job)) {
        if (!uncounted.succeeded.includes(uid)) succeeded.push(uid);
      } else if (index !== undefined && !has(indexes.before, index)) {
        newIndexes.push(index);
      }
    } else if (isFailed || (sync.finished && sync.finished.type !== "SuccessCriteriaMet")) {
      // If the job has failed, running pods count as failed.
      const hasPlace = !isIndexed(job) || validIndex(pod, job) !== undefined;
      if (!uncounted.failed.includes(uid) && hasPlace && isCounted(pod, job)) failed.push(uid);
    }
    if (newIndexes.length + succeeded.length + failed.length >= maxUncountedPods) return { done, isFull: true };
  }
  sync.indexes.succeeded = withIndexes(indexes.succeeded, newIndexes);
  return { done, isFull: false };
}

function canRemoveFinalizer({ job, finished, replaced }: Sync, pod: Pod, isFailed: boolean): boolean {
  if (isBeingDeleted(job) || finished || pod.status.phase === "Succeeded") return true;
  if (!isFailed) return false;
  const index = indexOf(pod);
  return index === undefined || replaced.get(index)?.metadata.uid !== pod.metadata.uid;
}

function setIndexes(sync: Sync): void {
  const { succeeded, failed } = sync.indexes;
  sync.status = {
    ...sync.status,
    succeeded: countOf(succeeded),
    completedIndexes: intervalsText(succeeded),
    ...(failed ? { failedIndexes: intervalsText(failed) } : {}),
  };
}

/** Removes finalizers. Returns the first failure; successful removals are counted. */
function release({ context }: Sync, done: readonly Pod[], tracked: Set<string>): ApiError | undefined {
  let failure: ApiError | undefined;
  for (const pod of done) {
    try {
      untrack(context.client, pod);
      tracked.delete(pod.metadata.uid ?? "");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failure ??= error;
    }
  }
  return failure;
}

/** Declares the end of the job when all pods are counted and none is terminating. */
function enactJobFinished(sync: Sync): boolean {
  const { finished, job, context } = sync;
  if (!finished) return false;
  const { succeeded = [], failed = [] } = sync.status.uncountedTerminatedPods ?? {};
  if (succeeded.length + failed.length > 0) return false;
  const terminating = context.client.controlledBy(podKind, job.metadata.uid ?? "").filter(isPodTerminating).length;
  sync.status = { ...sync.status, terminating };
  if (terminating > 0) return false;
  const conditions = [...ensureJobConditionStatus(sync.status.conditions ?? [], finished)];
  const completionTime = rfc3339(context.nowMs);
  sync.status = { ...sync.status, conditions, ...(finished.type === "Complete" ? { completionTime } : {}) };
  return true;
}

function recordJobFinished({ job, status, finished, context }: Sync): void {
  const { completions } = job.spec;
  if (finished?.type !== "Complete") {
    context.event(job, "Warning", finished?.reason ?? "", finished?.message ?? "");
    return;
  }
  if (completions !== undefined && (status.succeeded ?? 0) > completions) {
    const message = "Too many succeeded pods running after completion count reached";
    context.event(job, "Warning", "TooManySucceededPods", message);
  }
  context.event(job, "Normal", "Completed", "Job completed");
}

/** Writes the status. The registry ignores a write without changes. */
function flush({ job, status, context }: Sync): void {
  context.client.updateStatus(jobs, { ...job, metadata: withoutVersion(job), status: withoutEmptyFields(status) });
}

/** Returns the metadata without a version, because one reconcile writes several times and nobody else writes in between. */
function withoutVersion({ metadata }: Job): Job["metadata"] {
  const { resourceVersion: _version, ...rest } = metadata;
  return rest;
}

function withoutEmptyFields(status: JobStatus): JobStatus {
  return { ...status, conditions: [...(status.conditions ?? [])] };
}
