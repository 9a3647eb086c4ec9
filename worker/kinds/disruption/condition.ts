// The condition of a PodDisruptionBudget that says whether a pod may be evicted now.
import type { PodDisruptionBudgetStatus } from "../../../shared/k8s/api/policy-v1.ts";
import type { Condition } from "../../../shared/k8s/api/meta-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";

const type = "DisruptionAllowed";

export function disruptionCondition({ conditions = [] }: PodDisruptionBudgetStatus): Condition | undefined {
  return conditions.find((one) => one.type === type);
}

/** Upstream's `UpdateDisruptionAllowedCondition`. */
export function withDisruptionAllowed(status: PodDisruptionBudgetStatus, nowMs: number): PodDisruptionBudgetStatus {
  const isAllowed = status.disruptionsAllowed > 0;
  return withCondition(status, isAllowed, isAllowed ? "SufficientPods" : "InsufficientPods", "", nowMs);
}

/** Nothing can be said, so nothing is allowed. */
export function withSyncFailed(
  status: PodDisruptionBudgetStatus,
  message: string,
  nowMs: number,
): PodDisruptionBudgetStatus {
  return withCondition({ ...status, disruptionsAllowed: 0 }, false, "SyncFailed", message, nowMs);
}

/** Upstream's `SetStatusCondition`: the time moves only with the status. */
function withCondition(
  status: PodDisruptionBudgetStatus,
  isTrue: boolean,
  reason: string,
  message: string,
  nowMs: number,
): PodDisruptionBudgetStatus {
  const old = disruptionCondition(status);
  const value = isTrue ? "True" : "False";
  const { observedGeneration = 0 } = status;
  const next: Condition = {
    type,
    status: value,
    ...(observedGeneration > 0 ? { observedGeneration } : {}),
    lastTransitionTime: old?.status === value ? old.lastTransitionTime : rfc3339(nowMs),
    reason,
    message,
  };
  const others = status.conditions ?? [];
  return { ...status, conditions: old ? others.map((one) => (one === old ? next : one)) : [...others, next] };
}
