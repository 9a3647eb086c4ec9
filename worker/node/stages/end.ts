// A container's process ends by itself.
import { processOf } from "../images/process.ts";
import { type ContainerLife, end, isBeingStopped, isRunning, type PodLife, timeMs } from "../life.ts";
import { announcePull } from "./start.ts";
import { earliestMove, type Move, type Stage } from "./stage.ts";

export const endByItself: Stage = {
  name: "end by itself",
  next(life) {
    return isBeingStopped(life) ? undefined : earliestMove(life.containers.map((one) => ownEnd(life, one)));
  },
};

function ownEnd(life: PodLife, container: ContainerLife): Move | undefined {
  if (!isRunning(container)) return undefined;
  const process = processOf(container.spec);
  if (process.runsMs === Number.POSITIVE_INFINITY) return undefined;
  return {
    atMs: timeMs(container.status.state.running?.startedAt) + process.runsMs,
    apply(_, atMs) {
      end(container, atMs, process);
      // The next container's turn comes in the same write.
      if (container.role === "init") announcePull(life, atMs);
    },
  };
}
