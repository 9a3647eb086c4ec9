// The state of one sync with its conditions, and the state that is saved for the next.
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

export function setCondition(
  sync: Sync,
  type: Parameters<typeof withCondition>[1],
  status: "True" | "False",
  reason: string,
  message: string,
): void {
  sync.conditions = withCondition(sync.conditions, type, status, reason, message, sync.context.nowMs);
}

/** Sets a condition. The transition time changes only with the status. */
function withCondition(
  conditions: readonly Condition[],
  type: "AbleToScale" | "ScalingActive" | "ScalingLimited",
  status: "True" | "False",
  reason: string,
  message: string,
  nowMs: number,
): readonly Condition[] {
  const old = conditions.find((candidate) => candidate.type === type);
  const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? null) : rfc3339(nowMs);
  const next: Condition = { type, status, lastTransitionTime, reason, message };
  return old ? conditions.map((candidate) => (candidate === old ? next : candidate)) : [...conditions, next];
}

export interface Recommendation {
  readonly replicas: number;
  readonly atMs: number;
}

/** A change of replicas in one direction. */
export interface ScaleEvent {
  readonly change: number;
  readonly atMs: number;
}

export interface SavedState {
  /** The time of the next sync. */
  readonly nextMs: number;
  /** The number of consecutive failed syncs. */
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

/** Adds a recommendation. Of consecutive equal ones only the last is kept, since it is in every window that contains an earlier one. */
export function withRecommendation(
  recommendations: readonly Recommendation[],
  next: Recommendation,
  windowMs: number,
): Recommendation[] {
  const recent = recommendations.filter(({ atMs }) => atMs >= next.atMs - windowMs);
  const last = recent.at(-1);
  return [...(last?.replicas === next.replicas ? recent.slice(0, -1) : recent), next];
}

export function withScaleEvent(events: readonly ScaleEvent[], next: ScaleEvent, windowMs: number): ScaleEvent[] {
  return [...events.filter(({ atMs }) => atMs >= next.atMs - windowMs), next];
}
