// The completion indexes of an indexed job: which succeeded, which failed, which are to be run next.
import type { Job } from "../../../shared/k8s/api/batch-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { isPodTerminating } from "../common/pod-ready.ts";
import { isCounted, verdictOn } from "./failure-policy.ts";
import { type Intervals, firstMissing, has, merge, parseIntervals, withIndexes } from "./intervals.ts";
import {
  allEarlierFailures,
  earlierFailures,
  finishedMs,
  hasFailed,
  indexOf,
  isTracked,
  replacesOnlyFailed,
  validIndex,
} from "./pods.ts";
import type { Sync } from "./sync.ts";

/** Upstream's `calculateSucceededIndexes`: by the status, and with the pods that are not counted yet. */
export function succeededIndexes(job: Job, pods: readonly Pod[]): { before: Intervals; now: Intervals } {
  const before = parseIntervals(job.status.completedIndexes ?? "", job.spec.completions ?? 0);
  const isNew = (pod: Pod) => pod.status.phase === "Succeeded" && isTracked(pod);
  return { before, now: withIndexes(before, validIndexes(job, pods.filter(isNew))) };
}

/** Upstream's `calculateFailedIndexes`. */
export function failedIndexes(job: Job, pods: readonly Pod[]): Intervals {
  const before = parseIntervals(job.status.failedIndexes ?? "", job.spec.completions ?? 0);
  const isNew = (pod: Pod) => isTracked(pod) && endsItsIndex(pod, job);
  return withIndexes(before, validIndexes(job, pods.filter(isNew)));
}

/** Upstream's `isIndexFailed`. */
function endsItsIndex(pod: Pod, job: Job): boolean {
  if (!hasFailed(pod, job)) return false;
  if (verdictOn(pod, job).action === "FailIndex") return true;
  return isCounted(pod, job) && earlierFailures(pod).counted >= (job.spec.backoffLimitPerIndex ?? 0);
}

/** Upstream's `firstPendingIndexes`. */
export function nextIndexes(sync: Sync, count: number): number[] {
  const { job, active, pods, indexes } = sync;
  const terminating = replacesOnlyFailed(job) ? pods.filter(isPodTerminating) : [];
  const busy = [...active, ...terminating].map(indexOf).filter((index) => index !== undefined);
  const taken = merge(withIndexes(indexes.succeeded, busy), indexes.failed ?? []);
  return firstMissing(taken, count, job.spec.completions ?? 0);
}

/** Upstream's `getPodsWithDelayedDeletionPerIndex`. */
export function podsToReplace({ job, pods, active, indexes }: Sync): Map<number, Pod> {
  const busy = new Set(active.map(indexOf));
  const last = new Map<number, Pod>();
  for (const pod of pods) {
    const index = validIndex(pod, job);
    if (index === undefined || !isTracked(pod) || !hasFailed(pod, job) || busy.has(index)) continue;
    if (has(indexes.succeeded, index) || has(indexes.failed ?? [], index)) continue;
    const known = last.get(index);
    const isLater =
      !known || (allEarlierFailures(known) <= allEarlierFailures(pod) && finishedMs(pod) >= finishedMs(known));
    if (isLater) last.set(index, pod);
  }
  return last;
}

/** Upstream's `getNewIndexFailureCounts`: what the next pod of the index is told. */
export function failuresAfter(replaced: Pod | undefined, job: Job): { counted: number; ignored: number } {
  if (!replaced) return { counted: 0, ignored: 0 };
  const { counted, ignored } = earlierFailures(replaced);
  return isCounted(replaced, job) ? { counted: counted + 1, ignored } : { counted, ignored: ignored + 1 };
}

function validIndexes(job: Job, pods: readonly Pod[]): number[] {
  return pods.map((pod) => validIndex(pod, job)).filter((index) => index !== undefined);
}
