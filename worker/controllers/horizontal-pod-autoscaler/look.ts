// An autoscaler while it is looked at: what it comes to say of itself.
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition as Condition,
  MetricStatus,
} from "../../../shared/k8s/api/autoscaling-v2.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
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

export interface Advice {
  readonly replicas: number;
  readonly atMs: number;
}

/** By how many replicas it scaled, in one direction. */
export interface Scaling {
  readonly change: number;
  readonly atMs: number;
}

export interface Memory {
  /** When the next look at the metrics is due. */
  readonly nextMs: number;
  /** Looks that failed, since the last that did not. */
  readonly failures: number;
  readonly advice: readonly Advice[];
  readonly ups: readonly Scaling[];
  readonly downs: readonly Scaling[];
}

export function readMemory(note: string | undefined): Memory | undefined {
  // Only writeMemory writes these notes.
  return note === undefined ? undefined : (JSON.parse(note) as Memory);
}

export function writeMemory(memory: Memory): string {
  return JSON.stringify(memory);
}

/** Of equal advice in a row the last counts for all: it is in every window that one of the others is in. */
export function withAdvice(advice: readonly Advice[], next: Advice, windowMs: number): Advice[] {
  const kept = advice.filter(({ atMs }) => atMs >= next.atMs - windowMs);
  const last = kept.at(-1);
  return [...(last?.replicas === next.replicas ? kept.slice(0, -1) : kept), next];
}

export function withScaling(scalings: readonly Scaling[], next: Scaling, windowMs: number): Scaling[] {
  return [...scalings.filter(({ atMs }) => atMs >= next.atMs - windowMs), next];
}
