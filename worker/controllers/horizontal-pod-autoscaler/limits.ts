// Limits the change of replicas in one sync, with and without scaling rules. Pure.
import type { HPAScalingRules, HorizontalPodAutoscalerBehavior } from "../../../shared/k8s/api/autoscaling-v2.ts";
import { must } from "../../../shared/base/assert.ts";
import type { SavedState, ScaleEvent } from "./state.ts";

export interface Bounds {
  readonly current: number;
  readonly min: number;
  readonly max: number;
}

export interface Limited {
  readonly replicas: number;
  readonly reason: string;
  readonly message: string;
}

const within = { reason: "DesiredWithinRange", message: "the desired count is within the acceptable range" };
const tooFew = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count",
};
const tooMany = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count",
};
const tooFast = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const tooFastDown = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};

/** Limits without rules: at most doubled, or four. */
export function limitPlainly(desired: number, { current, min, max }: Bounds): Limited {
  const upLimit = Math.max(2 * current, 4);
  if (desired < min) return { replicas: min, ...tooFew };
  if (desired > Math.min(max, upLimit)) {
    return max > upLimit ? { replicas: upLimit, ...tooFast } : { replicas: max, ...tooMany };
  }
  return { replicas: desired, ...within };
}

export function limitByRules(
  desired: number,
  { current, min, max }: Bounds,
  behavior: HorizontalPodAutoscalerBehavior,
  state: SavedState,
  nowMs: number,
): Limited {
  if (desired > current) {
    const limit = Math.max(upLimit(current, must(behavior.scaleUp, "rules of scaling up"), state, nowMs), current);
    if (desired > Math.min(max, limit)) {
      return max > limit ? { replicas: limit, ...tooFast } : { replicas: max, ...tooMany };
    }
  } else if (desired < current) {
    const rules = must(behavior.scaleDown, "rules of scaling down");
    const limit = Math.min(downLimit(current, rules, state, nowMs), current);
    if (desired < Math.max(min, limit)) {
      return min < limit ? { replicas: limit, ...tooFastDown } : { replicas: min, ...tooFew };
    }
  }
  return { replicas: desired, ...within };
}

/** Returns the longest period of the rules. Older scalings do not count. */
export function longestPeriodMs(rules: HPAScalingRules | undefined): number {
  return Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds)) * 1000;
}

function upLimit(current: number, rules: HPAScalingRules, state: SavedState, nowMs: number): number {
  if (rules.selectPolicy === "Disabled") return current;
  const proposals = (rules.policies ?? []).map(({ type, value, periodSeconds }) => {
    const start = periodStart(current, periodSeconds, state, nowMs);
    return type === "Pods" ? start + value : Math.ceil(start * (1 + value / 100));
  });
  return rules.selectPolicy === "Min" ? Math.min(...proposals) : Math.max(...proposals);
}

function downLimit(current: number, rules: HPAScalingRules, state: SavedState, nowMs: number): number {
  if (rules.selectPolicy === "Disabled") return current;
  const proposals = (rules.policies ?? []).map(({ type, value, periodSeconds }) => {
    const start = periodStart(current, periodSeconds, state, nowMs);
    return type === "Pods" ? start - value : Math.trunc(start * (1 - value / 100));
  });
  // The smallest change leaves the most replicas.
  return rules.selectPolicy === "Min" ? Math.max(...proposals) : Math.min(...proposals);
}

function periodStart(
  current: number,
  periodSeconds: number,
  { scaleUpEvents, scaleDownEvents }: SavedState,
  nowMs: number,
): number {
  const sinceMs = nowMs - periodSeconds * 1000;
  const totalChange = (all: readonly ScaleEvent[]) =>
    all.reduce((sum, { change, atMs }) => (atMs > sinceMs ? sum + change : sum), 0);
  return current - totalChange(scaleUpEvents) + totalChange(scaleDownEvents);
}
