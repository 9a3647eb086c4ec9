// One sync of an autoscaler and its conditions, and the state that is saved for the next.
import { readStored } from "../../../shared/base/stored-json.ts";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition as Condition,
  MetricStatus,
} from "../../../shared/k8s/api/autoscaling-v2.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";

export interface Sync {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly context: ReconcileContext;
  state: SavedState;
  conditions: readonly Condition[];
  metrics: readonly MetricStatus[];
  pods: readonly Pod[];
}

/** Sets one condition. */
export function setCondition(
  sync: Sync,
  type: Parameters<typeof withCondition>[1],
  status: "True" | "False",
  reason: string,
  message: string,
): void {
  sync.conditions = withCondition(sync.conditions, type, status, reason, message, sync.context.nowMs);
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

export interface Recommendation {
  readonly replicas: number;
  readonly atMs: number;
}

/** By how many replicas it scaled, in one direction. */
export interface ScaleEvent {
  readonly change: number;
  readonly atMs: number;
}

export interface SavedState {
  /** When the next sync is due. */
  readonly nextMs: number;
  /** Syncs that failed, one after another. */
  readonly failures: number;
  readonly recommendations: readonly Recommendation[];
  readonly scaleUpEvents: readonly ScaleEvent[];
  readonly scaleDownEvents: readonly ScaleEvent[];
}

export function parseSavedState(text: string | undefined): SavedState | undefined {
  return readStored(text, ["nextMs", "failures", "recommendations", "scaleUpEvents", "scaleDownEvents"]);
}

export function formatSavedState(state: SavedState): string {
  return JSON.stringify(state);
}

/** Of equal advice in a row the last counts for all: it is in every window that one of the others is in. */
export function withRecommendation(
  recommendations: readonly Recommendation[],
  next: Recommendation,
  windowMs: number,
): Recommendation[] {
  const kept = recommendations.filter(({ atMs }) => atMs >= next.atMs - windowMs);
  const last = kept.at(-1);
  return [...(last?.replicas === next.replicas ? kept.slice(0, -1) : kept), next];
}

export function withScaleEvent(events: readonly ScaleEvent[], next: ScaleEvent, windowMs: number): ScaleEvent[] {
  return [...events.filter(({ atMs }) => atMs >= next.atMs - windowMs), next];
}
