// Graceful deletion: containers are asked to stop, the last status is written, and the object may go.
import { parseTime } from "../../../shared/k8s/time.ts";
import { end, isTerminalPhase, type PodLife } from "../life.ts";
import { settle } from "./settle.ts";
import type { Stage } from "./stage.ts";
import { announceStops, stopAll } from "./stop.ts";

/** The kubelet sees the deletion: the event of each container that is asked to stop. */
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
        // The time of deletion has whole seconds; what is seen within that second is seen at once.
        if (nowMs - askedMs(life) < 1000) life.askedMs = nowMs;
        announceStops(life, stopAll(life, nowMs));
      },
    };
  },
};

/** All containers have ended. */
export const stop: Stage = {
  name: "stop",
  next(life) {
    const { metadata, status } = life.pod;
    if (metadata.deletionTimestamp === undefined || life.stopped || isTerminalPhase(status.phase)) return undefined;
    if (!life.observed) return undefined;
    const fromMs = life.askedMs ?? askedMs(life);
    const stops = stopAll(life, fromMs);
    return {
      // Taking the sandbox down takes as long as making it, also where no container has started.
      atMs: Math.max(
        fromMs + life.node.runtime.stopPodSandbox(life.pod).tookMs,
        ...[...stops.values()].map((one) => one.atMs),
      ),
      apply() {
        for (const [one, how] of stops) end(one, how.atMs, how);
        settle(life);
        life.stopped = true;
      },
    };
  },
};

/** When the deletion was asked for. */
function askedMs({ pod: { metadata } }: PodLife): number {
  return parseTime(metadata.deletionTimestamp ?? "") - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
}
