// An autoscaler while it is looked at: what it comes to say of itself.
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition as Condition,
  MetricStatus,
} from "../../../shared/k8s/api/autoscaling-v2.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import type { Memory } from "./memory.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";

export interface Look {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly context: ReconcileContext;
  memory: Memory;
  conditions: readonly Condition[];
  metrics: readonly MetricStatus[];
  pods: readonly Pod[];
}

/** Sets one condition. */
export function set(
  look: Look,
  type: Parameters<typeof withCondition>[1],
  status: "True" | "False",
  reason: string,
  message: string,
): void {
  look.conditions = withCondition(look.conditions, type, status, reason, message, look.context.nowMs);
}

/** The time of transition moves only with the status. */
function withCondition(
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
