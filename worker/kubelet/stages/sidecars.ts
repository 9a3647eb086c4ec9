// Stops the sidecars when the main containers have ended.
import { end, isBeingStopped, isRunning, lastEnd, ofRole, type PodLife, timeMs } from "../life.ts";
import { shouldRestart } from "./order.ts";
import type { Stage } from "./stage.ts";
import { announceStops, stopAll } from "./stop.ts";

export const releaseSidecars: Stage = {
  name: "release sidecars",
  next(life) {
    if (isBeingStopped(life) || !ofRole(life, "sidecar").some(isRunning)) return undefined;
    const doneMs = doneAt(life);
    if (doneMs === undefined) return undefined;
    const stops = stopAll(life, doneMs);
    return {
      atMs: Math.max(...[...stops.values()].map((stop) => stop.atMs)),
      apply() {
        announceStops(life, stops);
        for (const [container, stop] of stops) {
          end(container, stop.atMs, stop);
        }
      },
    };
  },
};

/** Returns when the last main container ended, or a failed init container; undefined while a container runs or will be restarted. */
function doneAt(life: PodLife): number | undefined {
  const failed = ofRole(life, "init").find((container) => {
    const ended = container.status.state.terminated;
    return ended && ended.exitCode !== 0 && !shouldRestart(life, container, ended.exitCode);
  });
  if (failed) return timeMs(failed.status.state.terminated?.finishedAt);
  const ends = ofRole(life, "main").map((container) => {
    const ended = lastEnd(container.status);
    return ended && !shouldRestart(life, container, ended.exitCode) ? timeMs(ended.finishedAt) : undefined;
  });
  return ends.every((endMs) => endMs !== undefined) ? Math.max(...ends) : undefined;
}
