// A container's process ends by itself.
import { type ContainerLife, end, isBeingStopped, isRunning, type PodLife } from "../life.ts";
import { terminationMessage, reasonOf, runOfContainer } from "./running.ts";
import { announcePull } from "./start.ts";
import { earliestMove, type Move, type Stage } from "./stage.ts";

export const endByItself: Stage = {
  name: "end by itself",
  next(life, nowMs) {
    return isBeingStopped(life)
      ? undefined
      : earliestMove(life.containers.map((container) => ownEnd(life, container, nowMs)));
  },
};

function ownEnd(life: PodLife, container: ContainerLife, nowMs: number): Move | undefined {
  if (!isRunning(container)) return undefined;
  const run = runOfContainer(life, container, nowMs);
  const ended = run.end;
  if (!ended) {
    // The run is computed only up to `knownMs`, so the next sync is then.
    const later = !run.endless && run.knownMs > nowMs && run.knownMs < Number.POSITIVE_INFINITY;
    return later ? { atMs: run.knownMs, writesNoStatus: true, apply: () => undefined } : undefined;
  }
  return {
    atMs: ended.atMs,
    apply(_, atMs) {
      const message = terminationMessage(life, container, run, ended.atMs, ended.exitCode);
      end(container, atMs, { exitCode: ended.exitCode, reason: reasonOf(ended), message });
      // The next container's pull begins in the same write.
      if (container.role === "init") announcePull(life, atMs);
    },
  };
}
