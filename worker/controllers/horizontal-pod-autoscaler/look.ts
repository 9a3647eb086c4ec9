// An autoscaler while it is looked at: what it comes to say of itself.
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition as Condition,
  MetricStatus,
} from "../../../shared/k8s/api/autoscaling-v2.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import { withCondition } from "./conditions.ts";
import type { Memory } from "./memory.ts";

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
