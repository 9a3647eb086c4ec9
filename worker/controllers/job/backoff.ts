// The backoff of a job before it creates another pod after failures.
import type { Job } from "../../../shared/k8s/api/batch-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { allEarlierFailures, getFinishedTimeMs, isPodFailed } from "./pods.ts";

const defaultJobPodFailureBackoffMs = 10_000;
const maxJobPodFailureBackoffMs = 600_000;

/** The number of consecutive failures and the time of the last. */
export interface Backoff {
  readonly failures: number;
  readonly lastMs: number | undefined;
}

/** The backoff by uid of the job. If it is lost, it is derived from the remaining pods. */
export type BackoffRecords = Map<string, Backoff>;

/** Returns the backoff after the pods that have ended since. */
export function newBackoffRecord(
  records: BackoffRecords,
  job: Job,
  pods: readonly Pod[],
  newSucceeded: readonly Pod[],
  newFailed: readonly Pod[],
): Backoff {
  const counted = pods.filter((pod) => !newSucceeded.includes(pod) && !newFailed.includes(pod));
  const current =
    records.get(job.metadata.uid ?? "") ??
    add(
      { failures: 0, lastMs: undefined },
      counted.filter(({ status }) => status.phase === "Succeeded"),
      counted.filter((pod) => isPodFailed(pod, job)),
    );
  return add(current, newSucceeded, newFailed);
}

export function remainingMs({ failures, lastMs }: Backoff, nowMs: number): number {
  if (failures === 0 || lastMs === undefined) return 0;
  const wholeMs = Math.min(defaultJobPodFailureBackoffMs * 2 ** Math.min(failures - 1, 30), maxJobPodFailureBackoffMs);
  return Math.max(0, lastMs + wholeMs - nowMs);
}

/** Returns the remaining backoff of an index after its last failed pod. */
export function remainingOfIndexMs(lastFailed: Pod | undefined, nowMs: number): number {
  if (!lastFailed) return 0;
  return remainingMs({ failures: allEarlierFailures(lastFailed) + 1, lastMs: getFinishedTimeMs(lastFailed) }, nowMs);
}

function add(current: Backoff, succeeded: readonly Pod[], failed: readonly Pod[]): Backoff {
  const failedMs = failed.map(getFinishedTimeMs);
  if (succeeded.length === 0) {
    if (failed.length === 0) return current;
    return { failures: current.failures + failed.length, lastMs: Math.max(...failedMs) };
  }
  const lastSuccessMs = Math.max(...succeeded.map(getFinishedTimeMs));
  const since = failedMs.filter((ms) => ms > lastSuccessMs);
  return { failures: since.length, lastMs: since.length > 0 ? Math.max(...since) : undefined };
}
