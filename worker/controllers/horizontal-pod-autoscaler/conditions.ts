// One condition set in an autoscaler's list of conditions. Pure.
import type { HorizontalPodAutoscalerCondition as Condition } from "../../../shared/k8s/api/autoscaling-v2.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";

/** The time of transition moves only with the status. */
export function withCondition(
  conditions: readonly Condition[],
  type: "AbleToScale" | "ScalingActive" | "ScalingLimited",
  status: "True" | "False",
  reason: string,
  message: string,
  nowMs: number,
): readonly Condition[] {
  const old = conditions.find((one) => one.type === type);
  const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? null) : rfc3339(nowMs);
  const next: Condition = { type, status, lastTransitionTime, reason, message };
  return old ? conditions.map((one) => (one === old ? next : one)) : [...conditions, next];
}
