// When the containers that the pod is there for have ended, what still runs beside them is stopped.
import { end, isBeingStopped, isRunning, lastEnd, ofRole, type PodLife, timeMs } from "../life.ts";
import { restarts } from "./order.ts";
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
        for (const [one, stop] of stops) {
          end(one, stop.atMs, stop);
        }
      },
    };
  },
};

/** When the last container ended that will not be started again; undefined while one runs or will. */
function doneAt(life: PodLife): number | undefined {
  const failed = ofRole(life, "init").find((one) => {
    const ended = one.status.state.terminated;
    return ended && ended.exitCode !== 0 && !restarts(life, one, ended.exitCode);
  });
  if (failed) return timeMs(failed.status.state.terminated?.finishedAt);
  const ends = ofRole(life, "main").map((one) => {
    const ended = lastEnd(one.status);
    return ended && !restarts(life, one, ended.exitCode) ? timeMs(ended.finishedAt) : undefined;
  });
  return ends.every((one) => one !== undefined) ? Math.max(...ends) : undefined;
}
