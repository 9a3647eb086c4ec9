// How long a job waits after failures before it makes another pod.
import type { Job } from "../../../shared/k8s/api/batch-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { allEarlierFailures, getFinishedTimeMs, isPodFailed } from "./pods.ts";

const defaultJobPodFailureBackoffMs = 10_000;
const maxJobPodFailureBackoffMs = 600_000;

/** Failures in a row, and when the last was. */
export interface Backoff {
  readonly failures: number;
  readonly lastMs: number | undefined;
}

/** What the controller remembers: by uid of the job. Where it is lost, it follows from the pods that are still there. */
export type BackoffRecords = Map<string, Backoff>;

/** With the pods that have ended since. */
export function newBackoffRecord(
  records: BackoffRecords,
  job: Job,
  pods: readonly Pod[],
  newSucceeded: readonly Pod[],
  newFailed: readonly Pod[],
): Backoff {
  const counted = pods.filter((pod) => !newSucceeded.includes(pod) && !newFailed.includes(pod));
  const known =
    records.get(job.metadata.uid ?? "") ??
    add(
      { failures: 0, lastMs: undefined },
      counted.filter(({ status }) => status.phase === "Succeeded"),
      counted.filter((pod) => isPodFailed(pod, job)),
    );
  return add(known, newSucceeded, newFailed);
}

export function remainingMs({ failures, lastMs }: Backoff, nowMs: number): number {
  if (failures === 0 || lastMs === undefined) return 0;
  const wholeMs = Math.min(defaultJobPodFailureBackoffMs * 2 ** Math.min(failures - 1, 30), maxJobPodFailureBackoffMs);
  return Math.max(0, lastMs + wholeMs - nowMs);
}

/** How long to wait after this pod of an index. */
export function remainingOfIndexMs(lastFailed: Pod | undefined, nowMs: number): number {
  if (!lastFailed) return 0;
  return remainingMs({ failures: allEarlierFailures(lastFailed) + 1, lastMs: getFinishedTimeMs(lastFailed) }, nowMs);
}

function add(known: Backoff, succeeded: readonly Pod[], failed: readonly Pod[]): Backoff {
  const failedMs = failed.map(getFinishedTimeMs);
  if (succeeded.length === 0) {
    if (failed.length === 0) return known;
    return { failures: known.failures + failed.length, lastMs: Math.max(...failedMs) };
  }
  const lastSuccessMs = Math.max(...succeeded.map(getFinishedTimeMs));
  const since = failedMs.filter((ms) => ms > lastSuccessMs);
  return { failures: since.length, lastMs: since.length > 0 ? Math.max(...since) : undefined };
}
