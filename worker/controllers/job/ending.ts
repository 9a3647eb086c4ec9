// Whether a job ends now, and why: first what was decided before, then failure, then success.
import type { Job, JobCondition } from "../../../shared/k8s/api/batch-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { condition, trueCondition } from "./conditions.ts";
import { getFailJobMessage } from "./failure-policy.ts";
import { calculateFailedIndexes, getPodsWithDelayedDeletionPerIndex, calculateSucceededIndexes } from "./indexes.ts";
import { countOf, type Intervals, countShared, parseIndexesFromString } from "./intervals.ts";
import { isIndexed } from "./pods.ts";
import { type Sync, isSuspended, lookAfter } from "./sync.ts";

/** Decides what can be decided before pods are made. */
export function decide(sync: Sync): void {
  const { job, context } = sync;
  sync.finished = decidedBefore(sync) ?? failure(sync);
  if (!isIndexed(job)) return;
  const { before, now } = calculateSucceededIndexes(job, sync.pods);
  sync.indexes.before = before;
  sync.indexes.succeeded = now;
  sync.succeeded = countOf(now);
  if (job.spec.backoffLimitPerIndex !== undefined) {
    sync.indexes.failed = calculateFailedIndexes(job, sync.pods);
    sync.finished ??= failureOfIndexes(sync);
    sync.replaced = getPodsWithDelayedDeletionPerIndex(sync);
  }
  const rule = matchSuccessPolicy(job, now);
  if (rule) sync.finished ??= condition("SuccessCriteriaMet", "SuccessPolicy", rule, context.nowMs);
}

/** Whether all that is wanted has succeeded, and nothing runs any more. */
export function isComplete({ job, succeeded }: Sync, active: number): boolean {
  const { completions } = job.spec;
  return active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
}

export function completion(nowMs: number): JobCondition {
  return condition("SuccessCriteriaMet", "CompletionsReached", "Reached expected number of succeeded pods", nowMs);
}

/** The condition for good that an interim one leads to. */
export function finalOf({ type, reason = "", message = "" }: JobCondition, nowMs: number): JobCondition {
  return condition(
    type === "SuccessCriteriaMet" || type === "Complete" ? "Complete" : "Failed",
    reason,
    message,
    nowMs,
  );
}

function decidedBefore({ job, pods, context }: Sync): JobCondition | undefined {
  const success = trueCondition(job, "SuccessCriteriaMet");
  if (success) return success;
  const target = trueCondition(job, "FailureTarget");
  if (target) return finalOf(target, context.nowMs);
  const message = getFailJobMessage(pods, job);
  return message === undefined ? undefined : failed("PodFailurePolicy", message, context.nowMs);
}

function failure(sync: Sync): JobCondition | undefined {
  const { job, pods, context } = sync;
  const { backoffLimit = 6, activeDeadlineSeconds } = job.spec;
  if (sync.failed > backoffLimit || pastBackoffLimitOnFailure(job, pods, backoffLimit)) {
    return failed("BackoffLimitExceeded", "Job has reached the specified backoff limit", context.nowMs);
  }
  const { startTime } = sync.status;
  if (activeDeadlineSeconds === undefined || startTime === undefined || isSuspended(job)) return undefined;
  const leftMs = parseTime(startTime) + activeDeadlineSeconds * 1000 - context.nowMs;
  if (leftMs <= 0) {
    return failed("DeadlineExceeded", "Job was active longer than specified deadline", context.nowMs);
  }
  lookAfter(sync, leftMs);
  return undefined;
}

/** Where containers start again in their pod, those starts count. */
function pastBackoffLimitOnFailure({ spec }: Job, pods: readonly Pod[], backoffLimit: number): boolean {
  if (spec.template.spec.restartPolicy !== "OnFailure") return false;
  const restarts = pods
    .filter(({ status }) => status.phase === "Running" || status.phase === "Pending")
    .flatMap(({ status }) => [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}

function failureOfIndexes({ job, indexes, context }: Sync): JobCondition | undefined {
  const { maxFailedIndexes, completions = 0 } = job.spec;
  const failures = countOf(indexes.failed ?? []);
  if (maxFailedIndexes !== undefined && failures > maxFailedIndexes) {
    const message = "Job has exceeded the specified maximal number of failed indexes";
    return failed("MaxFailedIndexesExceeded", message, context.nowMs);
  }
  const isOver = failures > 0 && failures + countOf(indexes.succeeded) >= completions;
  return isOver ? failed("FailedIndexes", "Job has failed indexes", context.nowMs) : undefined;
}

function failed(reason: string, message: string, nowMs: number): JobCondition {
  return condition("FailureTarget", reason, message, nowMs);
}

/** Which rule is met, in words. */
function matchSuccessPolicy({ spec }: Job, succeeded: Intervals): string | undefined {
  if (succeeded.length === 0) return undefined;
  const met = (spec.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) {
      return succeededCount !== undefined && countOf(succeeded) >= succeededCount;
    }
    const wanted = parseIndexesFromString(succeededIndexes, spec.completions ?? 0);
    if (wanted.length === 0) return false;
    const shared = countShared(wanted, succeeded);
    return shared === countOf(wanted) || (succeededCount !== undefined && shared >= succeededCount);
  });
  return met < 0 ? undefined : `Matched rules at index ${met}`;
}
