// The state of one reconcile of a job: its pods, and its next status.
import type { Job, JobCondition, JobStatus } from "../../../shared/k8s/api/batch-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { jobs } from "../../kinds/batch/job/job.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import type { Workload } from "../common/pod-control.ts";
import { isPodActive, isPodReady, isPodTerminating } from "../common/pod-ready.ts";
import { type Backoff, type BackoffRecords, newBackoffRecord } from "./backoff.ts";
import { isCounted } from "./failure-policy.ts";
import type { Intervals } from "./intervals.ts";
import { isPodFailed, isIndexed, isTracked, validIndex } from "./pods.ts";

export interface Uncounted {
  readonly succeeded: readonly string[];
  readonly failed: readonly string[];
}

export interface Sync {
  readonly job: Job;
  readonly workload: Workload;
  readonly context: ReconcileContext<BackoffRecords>;
  /** All pods of the job at the start. */
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  /** The uncounted part of the status at the start. */
  readonly uncounted: Uncounted;
  readonly backoff: Backoff;
  /** The number of counted, uncounted and new successes. */
  succeeded: number;
  readonly failed: number;
  /** The indexes of an indexed job: before, and with the pods that ended since. */
  readonly indexes: { before: Intervals; succeeded: Intervals; failed: Intervals | undefined };
  /** The last failed pod of each index, kept until its replacement is created, which inherits the failure count. */
  replaced: ReadonlyMap<number, Pod>;
  /** The condition with which the job ends, if it does. */
  finished: JobCondition | undefined;
  status: JobStatus;
  /** The time until the next reconcile without a change. */
  afterMs: number | undefined;
}

export function startSync(job: Job, pods: readonly Pod[], context: ReconcileContext<BackoffRecords>): Sync {
  const { succeeded = [], failed = [] } = job.status.uncountedTerminatedPods ?? {};
  const uncounted = { succeeded, failed };
  const newSucceeded = getValidPodsWithFilter(job, pods, succeeded).filter(
    ({ status }) => status.phase === "Succeeded",
  );
  const newFailed = getValidPodsWithFilter(job, pods, failed).filter((pod) => isPodFailed(pod, job));
  return {
    job,
    workload: { object: job, kind: jobs },
    context,
    pods,
    active: pods.filter(isPodActive),
    uncounted,
    backoff: newBackoffRecord(context.memory, job, pods, newSucceeded, newFailed),
    succeeded: (job.status.succeeded ?? 0) + newSucceeded.length + succeeded.length,
    failed: (job.status.failed ?? 0) + newFailed.filter((pod) => isCounted(pod, job)).length + failed.length,
    indexes: { before: [], succeeded: [], failed: undefined },
    replaced: new Map(),
    finished: undefined,
    status: { ...job.status, uncountedTerminatedPods: { succeeded: [...succeeded], failed: [...failed] } },
    afterMs: undefined,
  };
}

/** Returns the uncounted pods with a valid index. */
export function getValidPodsWithFilter(job: Job, pods: readonly Pod[], countedUids: readonly string[]): Pod[] {
  return pods.filter(
    (pod) =>
      isTracked(pod) &&
      !countedUids.includes(pod.metadata.uid ?? "") &&
      (!isIndexed(job) || validIndex(pod, job) !== undefined),
  );
}

export function isSuspended({ spec }: Job): boolean {
  return spec.suspend === true;
}

export function lookAfter(sync: Sync, ms: number): void {
  sync.afterMs = Math.min(sync.afterMs ?? ms, ms);
}

/** Sets the counts of the current pods in the status. */
export function countPods(sync: Sync, pods: readonly Pod[]): void {
  const active = pods.filter(isPodActive);
  sync.status = {
    ...sync.status,
    active: active.length,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter(isPodTerminating).length,
  };
}
