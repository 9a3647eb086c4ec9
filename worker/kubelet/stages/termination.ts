// Graceful deletion: containers receive SIGTERM, the last status is written, and the object can be deleted.
import { parseTime } from "../../../shared/k8s/time.ts";
import { end, isTerminalPhase, type PodLife } from "../life.ts";
import { settle } from "./settle.ts";
import type { Stage } from "./stage.ts";
import { announceStops, stopAll } from "./stop.ts";

/** The kubelet sees the deletion and records an event for each container that it stops. */
export const announceStop: Stage = {
  name: "announce stop",
  next(life, nowMs) {
    const { metadata, status } = life.pod;
    if (metadata.deletionTimestamp === undefined || life.observed || life.stopped) return undefined;
    if (isTerminalPhase(status.phase) || Number.isNaN(life.startMs)) return undefined;
    return {
      atMs: nowMs,
      apply() {
        life.observed = true;
        // The time of deletion has whole seconds, so a deletion within the last second counts as seen at once.
        if (nowMs - askedMs(life) < 1000) life.askedMs = life.stopPlan.fromMs = nowMs;
        // Without hooks the ends are not announced, so only those are computed that the containers will have.
        const hasHook = life.containers.some(({ spec }) => spec.lifecycle?.preStop);
        announceStops(life, stopAll(life, life.askedMs ?? (hasHook ? nowMs : askedMs(life))));
      },
    };
  },
};

/** Ends the pod when all containers have ended. */
export const stop: Stage = {
  name: "stop",
  next(life) {
    const { metadata, status } = life.pod;
    if (metadata.deletionTimestamp === undefined || life.stopped || isTerminalPhase(status.phase)) return undefined;
    if (!life.observed) return undefined;
    const fromMs = life.askedMs ?? plannedMs(life) ?? askedMs(life);
    const stops = stopAll(life, fromMs);
    return {
      // Removing the sandbox takes as long as creating it, even if no container has started.
      atMs: Math.max(
        fromMs + life.node.runtime.stopPodSandbox(life.pod).tookMs,
        ...[...stops.values()].map((containerStop) => containerStop.atMs),
      ),
      apply() {
        for (const [container, how] of stops) end(container, how.atMs, how);
        settle(life);
        life.stopped = true;
      },
    };
  },
};

/** Returns when an earlier sync saw the deletion, if the stored time of the deletion is still the same second. */
function plannedMs(life: PodLife): number | undefined {
  const { fromMs } = life.stopPlan;
  const sinceMs = (fromMs ?? Number.POSITIVE_INFINITY) - askedMs(life);
  return sinceMs >= 0 && sinceMs < 1000 ? fromMs : undefined;
}

/** Returns when the deletion was requested. */
function askedMs({ pod: { metadata } }: PodLife): number {
  return parseTime(metadata.deletionTimestamp ?? "") - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
}
