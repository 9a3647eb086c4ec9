// One look of an autoscaler at its target: what it decides, scales, tells and will remember (upstream's `reconcileAutoscaler`).
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerStatus,
} from "../../../../shared/k8s/api/autoscaling-v2.ts";
import type { Pod } from "../../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import { rfc3339 } from "../../../../shared/k8s/time.ts";
import { horizontalPodAutoscalers } from "../../../kinds/autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import { limitByRules, limitPlainly, longestPeriodMs } from "./limits.ts";
import { type Look, set } from "./look.ts";
import { type Memory, withAdvice, withScaling } from "./memory.ts";
import { computeReplicas } from "./metrics.ts";
import type { Failure } from "./requests.ts";
import { type ScaleTarget, scaleTarget } from "./scale-target.ts";
import { stabilizeByRules, stabilizePlainly, windowsMs } from "./stabilization.ts";

/** What a look came to. */
export interface Looked {
  readonly memory: Memory;
  readonly failed: boolean;
  /** The status was written, or the target scaled. */
  readonly changed: boolean;
  readonly pods: readonly Pod[];
}

export function lookAt(autoscaler: HorizontalPodAutoscaler, memory: Memory, context: ReconcileContext): Looked {
  const { conditions = [] } = autoscaler.status;
  const look: Look = { autoscaler, context, memory, conditions, metrics: [], pods: [] };
  const result = decideAndScale(look);
  const changed = writeStatus(look, result);
  if (result.warning) context.event(autoscaler, "Warning", result.warning.reason, result.warning.message);
  return { memory: look.memory, failed: result.failed, changed, pods: look.pods };
}

interface Result {
  readonly failed: boolean;
  readonly currentReplicas?: number;
  readonly desiredReplicas?: number;
  readonly rescaled?: boolean;
  /** Told after the status is written. */
  readonly warning?: { readonly reason: string; readonly message: string };
}

function decideAndScale(look: Look): Result {
  const { autoscaler, context } = look;
  const target = scaleTarget(context.client, autoscaler);
  if ("failure" in target) return unscalable(look, target);
  set(
    look,
    "AbleToScale",
    "True",
    "SucceededGetScale",
    "the HPA controller was able to get the target's current scale",
  );
  const current = target.replicas;
  if (look.memory.advice.length === 0) {
    look.memory = { ...look.memory, advice: [{ replicas: current, atMs: context.nowMs }] };
  }
  const { minReplicas = 1, maxReplicas } = autoscaler.spec;
  if (current === 0) {
    const message = "scaling is disabled since the replica count of the target is zero";
    set(look, "ScalingActive", "False", "ScalingDisabled", message);
    return { failed: false, currentReplicas: 0, desiredReplicas: 0 };
  }
  if (current > maxReplicas) {
    return rescale(look, target, maxReplicas, "Current number of replicas above Spec.MaxReplicas");
  }
  if (current < minReplicas) {
    return rescale(look, target, minReplicas, "Current number of replicas below Spec.MinReplicas");
  }
  return followMetrics(look, target, minReplicas);
}

function followMetrics(look: Look, target: ScaleTarget, min: number): Result {
  const current = target.replicas;
  const wanted = computeReplicas(look, target);
  if ("failure" in wanted) {
    const warning = { reason: "FailedComputeMetricsReplicas", message: wanted.failure };
    return { failed: true, currentReplicas: current, warning };
  }
  const desired = normalize(look, current, wanted.replicas, min);
  const why = wanted.replicas > current ? `${wanted.metric} above target` : "All metrics below target";
  if (desired !== current) return rescale(look, target, desired, wanted.replicas === current ? "" : why);
  return { failed: wanted.partly, currentReplicas: current, desiredReplicas: current };
}

function normalize(look: Look, current: number, wanted: number, min: number): number {
  const { autoscaler, context, memory } = look;
  const { behavior, maxReplicas: max } = autoscaler.spec;
  const { nowMs } = context;
  const stable = behavior
    ? stabilizeByRules(wanted, current, memory.advice, behavior, nowMs)
    : stabilizePlainly(wanted, memory.advice, nowMs);
  const windows = windowsMs(behavior);
  const advice = withAdvice(memory.advice, { replicas: wanted, atMs: nowMs }, Math.max(windows.up, windows.down));
  look.memory = { ...memory, advice };
  set(look, "AbleToScale", "True", stable.reason, stable.message);
  const bounds = { current, min, max };
  const limited = behavior
    ? limitByRules(stable.replicas, bounds, behavior, memory, nowMs)
    : limitPlainly(stable.replicas, bounds);
  const isLimited = limited.replicas !== stable.replicas;
  set(look, "ScalingLimited", isLimited ? "True" : "False", limited.reason, limited.message);
  return limited.replicas;
}

function rescale(look: Look, target: ScaleTarget, desired: number, reason: string): Result {
  const { autoscaler, context } = look;
  const { client, event } = context;
  const current = target.replicas;
  try {
    client.update(target.kind, target.withReplicas(desired));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const message = `New size: ${desired}; reason: ${reason}; error: ${error.message}`;
    event(autoscaler, "Warning", "FailedRescale", message);
    const told = `the HPA controller was unable to update the target scale: ${error.message}`;
    set(look, "AbleToScale", "False", "FailedUpdateScale", told);
    return { failed: true, currentReplicas: current };
  }
  const told = `the HPA controller was able to update the target scale to ${desired}`;
  set(look, "AbleToScale", "True", "SucceededRescale", told);
  event(autoscaler, "Normal", "SuccessfulRescale", `New size: ${desired}; reason: ${reason}`);
  look.memory = remembering(look, desired - current);
  return { failed: false, currentReplicas: current, desiredReplicas: desired, rescaled: true };
}

/** Scalings count only for rules that limit them. */
function remembering({ autoscaler, context, memory }: Look, change: number): Memory {
  const { behavior } = autoscaler.spec;
  if (!behavior) return memory;
  const next = { change: Math.abs(change), atMs: context.nowMs };
  // Each list is asked for the periods of both rules.
  const windowMs = Math.max(longestPeriodMs(behavior.scaleUp), longestPeriodMs(behavior.scaleDown));
  return change > 0
    ? { ...memory, ups: withScaling(memory.ups, next, windowMs) }
    : { ...memory, downs: withScaling(memory.downs, next, windowMs) };
}

function unscalable(look: Look, { failure }: Failure): Result {
  look.context.event(look.autoscaler, "Warning", "FailedGetScale", failure);
  const message = `the HPA controller was unable to get the target's current scale: ${failure}`;
  set(look, "AbleToScale", "False", "FailedGetScale", message);
  return { failed: true };
}

function writeStatus({ autoscaler, conditions, metrics, context }: Look, result: Result): boolean {
  const { currentReplicas, rescaled = false } = result;
  const old = autoscaler.status;
  const { lastScaleTime } = old;
  const scaledAt = rescaled ? rfc3339(context.nowMs) : lastScaleTime;
  // A target that was not found leaves the counts as they were.
  const counts: HorizontalPodAutoscalerStatus =
    currentReplicas === undefined
      ? old
      : {
          currentReplicas,
          desiredReplicas: result.desiredReplicas ?? old.desiredReplicas,
          currentMetrics: [...metrics],
          ...(scaledAt ? { lastScaleTime: scaledAt } : {}),
        };
  const status = { ...counts, conditions: [...conditions] };
  const written = context.client.updateStatus(horizontalPodAutoscalers, { ...autoscaler, status });
  return written.metadata.resourceVersion !== autoscaler.metadata.resourceVersion;
}
