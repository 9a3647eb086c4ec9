// Decides whether a job ends, and why: an earlier decision first, then failure, then success.
import type { Job, JobCondition } from "../../../shared/k8s/api/batch-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { condition, trueCondition } from "./conditions.ts";
import { getFailJobMessage } from "./failure-policy.ts";
import { calculateFailedIndexes, getPodsWithDelayedDeletionPerIndex, calculateSucceededIndexes } from "./indexes.ts";
import { countOf, type Intervals, countShared, parseIndexesFromString } from "./intervals.ts";
import { isIndexed } from "./pods.ts";
import { type Sync, isSuspended, lookAfter } from "./sync.ts";

/** Makes the decisions that are possible before pods are created. */
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

/** Reports whether all completions have succeeded and no pod is active. */
export function isComplete({ job, succeeded }: Sync, active: number): boolean {
  const { completions } = job.spec;
  return active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
}

export function completion(nowMs: number): JobCondition {
  return condition("SuccessCriteriaMet", "CompletionsReached", "Reached expected number of succeeded pods", nowMs);
}

/** Returns the final condition that follows an interim one. */
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
  return message === undefined ? undefined : failureTarget("PodFailurePolicy", message, context.nowMs);
}

function failure(sync: Sync): JobCondition | undefined {
  const { job, pods, context } = sync;
  const { backoffLimit = 6, activeDeadlineSeconds } = job.spec;
  if (sync.failed > backoffLimit || pastBackoffLimitOnFailure(job, pods, backoffLimit)) {
    return failureTarget("BackoffLimitExceeded", "Job has reached the specified backoff limit", context.nowMs);
  }
  const { startTime } = sync.status;
  if (activeDeadlineSeconds === undefined || startTime === undefined || isSuspended(job)) return undefined;
  const leftMs = parseTime(startTime) + activeDeadlineSeconds * 1000 - context.nowMs;
  if (leftMs <= 0) {
    return failureTarget("DeadlineExceeded", "Job was active longer than specified deadline", context.nowMs);
  }
  lookAfter(sync, leftMs);
  return undefined;
}

/** Counts restarts of containers for pods with the restart policy OnFailure. */
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
    return failureTarget("MaxFailedIndexesExceeded", message, context.nowMs);
  }
  const isOver = failures > 0 && failures + countOf(indexes.succeeded) >= completions;
  return isOver ? failureTarget("FailedIndexes", "Job has failed indexes", context.nowMs) : undefined;
}

function failureTarget(reason: string, message: string, nowMs: number): JobCondition {
  return condition("FailureTarget", reason, message, nowMs);
}

/** Returns a text of the matching success rule. */
function matchSuccessPolicy({ spec }: Job, succeeded: Intervals): string | undefined {
  if (succeeded.length === 0) return undefined;
  const met = (spec.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) {
      return succeededCount !== undefined && countOf(succeeded) >= succeededCount;
    }
    const requiredIndexes = parseIndexesFromString(succeededIndexes, spec.completions ?? 0);
    if (requiredIndexes.length === 0) return false;
    const shared = countShared(requiredIndexes, succeeded);
    return shared === countOf(requiredIndexes) || (succeededCount !== undefined && shared >= succeededCount);
  });
  return met < 0 ? undefined : `Matched rules at index ${met}`;
}
