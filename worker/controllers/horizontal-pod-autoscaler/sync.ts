// One sync of an autoscaler: computes the replicas, scales the target, writes the status and the state for the next sync.
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerStatus } from "../../../shared/k8s/api/autoscaling-v2.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { horizontalPodAutoscalers } from "../../kinds/autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import { limitByRules, limitPlainly, longestPeriodMs } from "./limits.ts";
import { type Sync, setCondition, type SavedState, withRecommendation, withScaleEvent } from "./state.ts";
import { computeReplicas } from "./metrics.ts";
import type { Failure } from "./requests.ts";
import { type ScaleTarget, scaleTarget } from "./scale-target.ts";
import { stabilizeByRules, stabilizePlainly, windowsMs } from "./stabilization.ts";

export interface Synced {
  readonly state: SavedState;
  readonly failed: boolean;
  /** Whether the status or the target changed. */
  readonly changed: boolean;
  readonly pods: readonly Pod[];
}

export function reconcileAutoscaler(
  autoscaler: HorizontalPodAutoscaler,
  state: SavedState,
  context: ReconcileContext,
): Synced {
  const { conditions = [] } = autoscaler.status;
  const sync: Sync = { autoscaler, context, state, conditions, metrics: [], pods: [] };
  const result = decideAndScale(sync);
  const changed = writeStatus(sync, result);
  if (result.warning) context.event(autoscaler, "Warning", result.warning.reason, result.warning.message);
  return { state: sync.state, failed: result.failed, changed, pods: sync.pods };
}

interface Result {
  readonly failed: boolean;
  readonly currentReplicas?: number;
  readonly desiredReplicas?: number;
  readonly rescaled?: boolean;
  /** The warning that is recorded after the status is written. */
  readonly warning?: { readonly reason: string; readonly message: string };
}

function decideAndScale(sync: Sync): Result {
  const { autoscaler, context } = sync;
  const target = scaleTarget(context.client, autoscaler);
  if ("failure" in target) return unscalable(sync, target);
  setCondition(
    sync,
    "AbleToScale",
    "True",
    "SucceededGetScale",
    "the HPA controller was able to get the target's current scale",
  );
  const current = target.replicas;
  if (sync.state.recommendations.length === 0) {
    sync.state = { ...sync.state, recommendations: [{ replicas: current, atMs: context.nowMs }] };
  }
  const { minReplicas = 1, maxReplicas } = autoscaler.spec;
  if (current === 0) {
    const message = "scaling is disabled since the replica count of the target is zero";
    setCondition(sync, "ScalingActive", "False", "ScalingDisabled", message);
    return { failed: false, currentReplicas: 0, desiredReplicas: 0 };
  }
  if (current > maxReplicas) {
    return rescale(sync, target, maxReplicas, "Current number of replicas above Spec.MaxReplicas");
  }
  if (current < minReplicas) {
    return rescale(sync, target, minReplicas, "Current number of replicas below Spec.MinReplicas");
  }
  return followMetrics(sync, target, minReplicas);
}

function followMetrics(sync: Sync, target: ScaleTarget, min: number): Result {
  const current = target.replicas;
  const proposedReplicas = computeReplicas(sync, target);
  if ("failure" in proposedReplicas) {
    const warning = { reason: "FailedComputeMetricsReplicas", message: proposedReplicas.failure };
    return { failed: true, currentReplicas: current, warning };
  }
  const desired = normalize(sync, current, proposedReplicas.replicas, min);
  const why =
    proposedReplicas.replicas > current ? `${proposedReplicas.metric} above target` : "All metrics below target";
  if (desired !== current) return rescale(sync, target, desired, proposedReplicas.replicas === current ? "" : why);
  return { failed: proposedReplicas.partly, currentReplicas: current, desiredReplicas: current };
}

function normalize(sync: Sync, current: number, proposedReplicas: number, min: number): number {
  const { autoscaler, context, state } = sync;
  const { behavior, maxReplicas: max } = autoscaler.spec;
  const { nowMs } = context;
  const stable = behavior
    ? stabilizeByRules(proposedReplicas, current, state.recommendations, behavior, nowMs)
    : stabilizePlainly(proposedReplicas, state.recommendations, nowMs);
  const windows = windowsMs(behavior);
  const recommendations = withRecommendation(
    state.recommendations,
    { replicas: proposedReplicas, atMs: nowMs },
    Math.max(windows.up, windows.down),
  );
  sync.state = { ...state, recommendations };
  setCondition(sync, "AbleToScale", "True", stable.reason, stable.message);
  const bounds = { current, min, max };
  const limited = behavior
    ? limitByRules(stable.replicas, bounds, behavior, state, nowMs)
    : limitPlainly(stable.replicas, bounds);
  const isLimited = limited.replicas !== stable.replicas;
  setCondition(sync, "ScalingLimited", isLimited ? "True" : "False", limited.reason, limited.message);
  return limited.replicas;
}

function rescale(sync: Sync, target: ScaleTarget, desired: number, reason: string): Result {
  const { autoscaler, context } = sync;
  const { client, event } = context;
  const current = target.replicas;
  try {
    client.update(target.kind, target.withReplicas(desired));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const message = `New size: ${desired}; reason: ${reason}; error: ${error.message}`;
    event(autoscaler, "Warning", "FailedRescale", message);
    const failureMessage = `the HPA controller was unable to update the target scale: ${error.message}`;
    setCondition(sync, "AbleToScale", "False", "FailedUpdateScale", failureMessage);
    return { failed: true, currentReplicas: current };
  }
  const successMessage = `the HPA controller was able to update the target scale to ${desired}`;
  setCondition(sync, "AbleToScale", "True", "SucceededRescale", successMessage);
  event(autoscaler, "Normal", "SuccessfulRescale", `New size: ${desired}; reason: ${reason}`);
  sync.state = remembering(sync, desired - current);
  return { failed: false, currentReplicas: current, desiredReplicas: desired, rescaled: true };
}

/** Records a scaling for rules that limit changes. */
function remembering({ autoscaler, context, state }: Sync, change: number): SavedState {
  const { behavior } = autoscaler.spec;
  if (!behavior) return state;
  const next = { change: Math.abs(change), atMs: context.nowMs };
  // Each list is kept for the longest period of both rules.
  const windowMs = Math.max(longestPeriodMs(behavior.scaleUp), longestPeriodMs(behavior.scaleDown));
  return change > 0
    ? { ...state, scaleUpEvents: withScaleEvent(state.scaleUpEvents, next, windowMs) }
    : { ...state, scaleDownEvents: withScaleEvent(state.scaleDownEvents, next, windowMs) };
}

function unscalable(sync: Sync, { failure }: Failure): Result {
  sync.context.event(sync.autoscaler, "Warning", "FailedGetScale", failure);
  const message = `the HPA controller was unable to get the target's current scale: ${failure}`;
  setCondition(sync, "AbleToScale", "False", "FailedGetScale", message);
  return { failed: true };
}

function writeStatus({ autoscaler, conditions, metrics, context }: Sync, result: Result): boolean {
  const { currentReplicas, rescaled = false } = result;
  const old = autoscaler.status;
  const { lastScaleTime } = old;
  const scaledAt = rescaled ? rfc3339(context.nowMs) : lastScaleTime;
  // If the target does not exist, the counts stay.
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
