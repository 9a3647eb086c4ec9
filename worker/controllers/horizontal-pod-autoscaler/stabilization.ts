// Stabilizes recommendations by those of the last minutes. Pure.
import type { HorizontalPodAutoscalerBehavior } from "../../../shared/k8s/api/autoscaling-v2.ts";
import type { Recommendation } from "./state.ts";

export interface Stabilized {
  readonly replicas: number;
  readonly reason: string;
  readonly message: string;
}

/** The default of upstream's `--horizontal-pod-autoscaler-downscale-stabilization`. */
const downWindowMs = 300_000;
const ready = { reason: "ReadyForNewScale", message: "recommended size matches current size" };
const scaleDownStabilized = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const scaleUpStabilized = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};

/** Returns both windows of an autoscaler. */
export function windowsMs(behavior: HorizontalPodAutoscalerBehavior | undefined): { up: number; down: number } {
  if (!behavior) return { up: 0, down: downWindowMs };
  const { scaleUp, scaleDown } = behavior;
  const down = scaleDown?.stabilizationWindowSeconds;
  return {
    up: (scaleUp?.stabilizationWindowSeconds ?? 0) * 1000,
    down: down === undefined ? downWindowMs : down * 1000,
  };
}

/** Without rules: the highest recommendation in the window. */
export function stabilizePlainly(desired: number, advice: readonly Recommendation[], nowMs: number): Stabilized {
  const recent = advice.filter(({ atMs }) => atMs >= nowMs - downWindowMs).map(({ replicas }) => replicas);
  const replicas = Math.max(desired, ...recent);
  return { replicas, ...(replicas === desired ? ready : scaleDownStabilized) };
}

/** With rules: at most the lowest recommendation in the upscale window, and at least the highest in the downscale window. */
export function stabilizeByRules(
  desired: number,
  current: number,
  advice: readonly Recommendation[],
  behavior: HorizontalPodAutoscalerBehavior,
  nowMs: number,
): Stabilized {
  const windows = windowsMs(behavior);
  const since = (windowMs: number) =>
    advice.filter(({ atMs }) => atMs > nowMs - windowMs).map(({ replicas }) => replicas);
  const lowest = Math.min(desired, ...since(windows.up));
  const highest = Math.max(desired, ...since(windows.down));
  const replicas = Math.min(Math.max(current, lowest), highest);
  if (replicas === desired) return { replicas, ...ready };
  return { replicas, ...(desired >= current ? scaleUpStabilized : scaleDownStabilized) };
}
