// `activeDeadlineSeconds`: stops the pod and lets it fail, whatever the states of its containers.
import { deadlineExceeded, end, isTerminalPhase, recordEvent } from "../life.ts";
import { phaseOf } from "../status/phase.ts";
import { settle } from "./settle.ts";
import type { Stage } from "./stage.ts";
import { announceStops, stopAll } from "./stop.ts";

/** The deadline passes: the pod is no longer ready, and its containers receive SIGTERM. */
export const passDeadline: Stage = {
  name: "pass deadline",
  next(life) {
    const { metadata, spec } = life.pod;
    if (spec.activeDeadlineSeconds === undefined || life.failing || Number.isNaN(life.startMs)) return undefined;
    if (metadata.deletionTimestamp !== undefined || isTerminalPhase(phaseOf(life))) return undefined;
    return {
      atMs: life.startMs + spec.activeDeadlineSeconds * 1000,
      apply(_, atMs) {
        life.failing = deadlineExceeded;
        recordEvent(life, "Normal", deadlineExceeded.reason, deadlineExceeded.message);
        announceStops(life, stopAll(life, atMs));
      },
    };
  },
};

/** The containers have stopped: the pod has failed. */
export const stopAtDeadline: Stage = {
  name: "stop at deadline",
  next(life) {
    const { metadata, spec } = life.pod;
    if (!life.failing || life.stopped || metadata.deletionTimestamp !== undefined) return undefined;
    const fromMs = life.startMs + (spec.activeDeadlineSeconds ?? 0) * 1000;
    const stops = stopAll(life, fromMs);
    return {
      atMs: Math.max(fromMs, ...[...stops.values()].map((stop) => stop.atMs)),
      apply() {
        for (const [container, stop] of stops) end(container, stop.atMs, stop);
        settle(life);
        life.stopped = true;
      },
    };
  },
};
