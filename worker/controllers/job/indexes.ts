// The completion indexes of an indexed job: which succeeded, which failed, and which run next.
import type { Job } from "../../../shared/k8s/api/batch-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { isPodTerminating } from "../common/pod-ready.ts";
import { isCounted, matchPodFailurePolicy } from "./failure-policy.ts";
import { type Intervals, firstMissing, has, merge, parseIndexesFromString, withIndexes } from "./intervals.ts";
import {
  allEarlierFailures,
  earlierFailures,
  getFinishedTimeMs,
  isPodFailed,
  indexOf,
  isTracked,
  onlyReplaceFailedPods,
  validIndex,
} from "./pods.ts";
import type { Sync } from "./sync.ts";

/** Returns the indexes in the status, and those with uncounted pods. */
export function calculateSucceededIndexes(job: Job, pods: readonly Pod[]): { before: Intervals; now: Intervals } {
  const before = parseIndexesFromString(job.status.completedIndexes ?? "", job.spec.completions ?? 0);
  const isNew = (pod: Pod) => pod.status.phase === "Succeeded" && isTracked(pod);
  return { before, now: withIndexes(before, validIndexes(job, pods.filter(isNew))) };
}

export function calculateFailedIndexes(job: Job, pods: readonly Pod[]): Intervals {
  const before = parseIndexesFromString(job.status.failedIndexes ?? "", job.spec.completions ?? 0);
  const isNew = (pod: Pod) => isTracked(pod) && isIndexFailed(pod, job);
  return withIndexes(before, validIndexes(job, pods.filter(isNew)));
}

function isIndexFailed(pod: Pod, job: Job): boolean {
  if (!isPodFailed(pod, job)) return false;
  if (matchPodFailurePolicy(pod, job).action === "FailIndex") return true;
  return isCounted(pod, job) && earlierFailures(pod).counted >= (job.spec.backoffLimitPerIndex ?? 0);
}

export function firstPendingIndexes(sync: Sync, count: number): number[] {
  const { job, active, pods, indexes } = sync;
  const terminating = onlyReplaceFailedPods(job) ? pods.filter(isPodTerminating) : [];
  const busy = [...active, ...terminating].map(indexOf).filter((index) => index !== undefined);
  const taken = merge(withIndexes(indexes.succeeded, busy), indexes.failed ?? []);
  return firstMissing(taken, count, job.spec.completions ?? 0);
}

export function getPodsWithDelayedDeletionPerIndex({ job, pods, active, indexes }: Sync): Map<number, Pod> {
  const busy = new Set(active.map(indexOf));
  const last = new Map<number, Pod>();
  for (const pod of pods) {
    const index = validIndex(pod, job);
    if (index === undefined || !isTracked(pod) || !isPodFailed(pod, job) || busy.has(index)) continue;
    if (has(indexes.succeeded, index) || has(indexes.failed ?? [], index)) continue;
    const lastOfIndex = last.get(index);
    const isLater =
      !lastOfIndex ||
      (allEarlierFailures(lastOfIndex) <= allEarlierFailures(pod) &&
        getFinishedTimeMs(pod) >= getFinishedTimeMs(lastOfIndex));
    if (isLater) last.set(index, pod);
  }
  return last;
}

/** Returns the failure counts for the next pod of an index. */
export function getNewIndexFailureCounts(replaced: Pod | undefined, job: Job): { counted: number; ignored: number } {
  if (!replaced) return { counted: 0, ignored: 0 };
  const { counted, ignored } = earlierFailures(replaced);
  return isCounted(replaced, job) ? { counted: counted + 1, ignored } : { counted, ignored: ignored + 1 };
}

function validIndexes(job: Job, pods: readonly Pod[]): number[] {
  return pods.map((pod) => validIndex(pod, job)).filter((index) => index !== undefined);
}
