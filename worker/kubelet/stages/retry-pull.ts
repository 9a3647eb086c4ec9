// Retries a failed pull: ErrImagePull and ImagePullBackOff alternate.
import {
  type ContainerLife,
  hasRun,
  isBeingStopped,
  lastEnd,
  ofRole,
  type PodLife,
  recordEvent,
  timeMs,
} from "../life.ts";
import { backOffMs, initialize } from "./order.ts";
import { isRefused, pullOf, refuse, wait } from "./pull.ts";
import { earliestMove, type Move, type Stage } from "./stage.ts";

/** The time for which the status shows ErrImagePull before ImagePullBackOff. */
const shownMs = 1_000;
const firstRetryMs = 10_000;
const lastRetryMs = 300_000;

/** Retries after ten seconds, doubled up to five minutes. All attempts follow from the time of the first. */
export const retryPull: Stage = {
  name: "retry pull",
  next(life, nowMs) {
    if (isBeingStopped(life)) return undefined;
    const moves = life.containers.map((container) => {
      const reason = container.status.state.waiting?.reason;
      if (reason !== "ErrImagePull" && reason !== "ImagePullBackOff") return undefined;
      const fromMs = isRefused(life, container) ? firstAttemptMs(life, container) : undefined;
      return fromMs === undefined ? undefined : turn(life, container, fromMs, nowMs);
    });
    return earliestMove(moves);
  },
};

function firstAttemptMs(life: PodLife, container: ContainerLife): number | undefined {
  const ended = lastEnd(container.status);
  if (ended) return timeMs(ended.finishedAt) + backOffMs(life, container);
  if (container.role === "main") return initialize(life);
  const before = ofRole(life, "init", "sidecar");
  const earlier = before.slice(0, before.indexOf(container)).filter(hasRun);
  return Math.max(life.startMs, ...earlier.map((container) => timeMs(container.status.state.terminated?.finishedAt)));
}

function turn(life: PodLife, container: ContainerLife, fromMs: number, nowMs: number): Move {
  const pull = pullOf(life, container, fromMs);
  let failedMs = fromMs + pull.ms;
  let waitMs = firstRetryMs;
  while (failedMs + waitMs <= nowMs) {
    failedMs += waitMs;
    waitMs = Math.min(waitMs * 2, lastRetryMs);
  }
  const backOffMove = { atMs: failedMs + shownMs, apply: () => backOff(life, container, pull.problem) };
  if (container.status.state.waiting?.reason === "ErrImagePull") return backOffMove;
  const missed = nowMs < failedMs + shownMs;
  return {
    atMs: missed ? failedMs : failedMs + waitMs,
    apply: () => refuse(life, container, pull, { isAnnounced: false }),
  };
}

function backOff(life: PodLife, container: ContainerLife, problem: string): void {
  const message = `Back-off pulling image "${container.spec.image ?? ""}"`;
  recordEvent(life, "Normal", "BackOff", message, container);
  wait(life, container, "ImagePullBackOff", `${message}: ErrImagePull: ${problem}`);
}
