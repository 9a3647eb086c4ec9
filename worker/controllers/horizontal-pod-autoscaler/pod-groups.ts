// Groups the pods of an autoscaler by how they count (upstream's `groupPods`). Pure.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { readyCondition } from "../common/pod-ready.ts";

/** A measurement of one pod, in thousandths. */
export interface Measured {
  readonly value: number;
  readonly atMs: number;
  readonly windowMs: number;
}

export type Metrics = ReadonlyMap<string, Measured>;

export interface PodGroups {
  readonly ready: number;
  readonly unready: ReadonlySet<string>;
  readonly missing: ReadonlySet<string>;
  /** Terminating and failed pods. */
  readonly ignored: ReadonlySet<string>;
}

/** The defaults of upstream's `--horizontal-pod-autoscaler-cpu-initialization-period` and `-initial-readiness-delay`. */
export const initializationMs = 300_000;
const readinessDelayMs = 30_000;

export function groupPods(pods: readonly Pod[], metrics: Metrics, resource: string, nowMs: number): PodGroups {
  const groups = { unready: new Set<string>(), missing: new Set<string>(), ignored: new Set<string>() };
  let ready = 0;
  for (const pod of pods) {
    const name = pod.metadata.name ?? "";
    const metric = metrics.get(name);
    if (pod.metadata.deletionTimestamp || pod.status.phase === "Failed") groups.ignored.add(name);
    else if (pod.status.phase === "Pending") groups.unready.add(name);
    else if (!metric) groups.missing.add(name);
    else if (resource === "cpu" && isUnready(pod, metric, nowMs)) groups.unready.add(name);
    else ready++;
  }
  return { ready, ...groups };
}

/** Reports whether a pod is starting, when its CPU usage is not representative. */
function isUnready(pod: Pod, metric: Measured, nowMs: number): boolean {
  const condition = readyCondition(pod);
  const { startTime } = pod.status;
  if (!condition || !startTime) return true;
  const startMs = parseTime(startTime);
  const turnedMs = condition.lastTransitionTime ? parseTime(condition.lastTransitionTime) : 0;
  const isNotReady = condition.status === "False";
  if (startMs + initializationMs > nowMs) return isNotReady || metric.atMs < turnedMs + metric.windowMs;
  return isNotReady && startMs + readinessDelayMs > turnedMs;
}
