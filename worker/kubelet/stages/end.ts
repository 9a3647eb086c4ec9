// A container's process ends by itself.
import { type ContainerLife, end, isBeingStopped, isRunning, type PodLife } from "../life.ts";
import { lastWords, reasonOf, runOfContainer } from "./running.ts";
import { announcePull } from "./start.ts";
import { earliestMove, type Move, type Stage } from "./stage.ts";

export const endByItself: Stage = {
  name: "end by itself",
  next(life, nowMs) {
    return isBeingStopped(life) ? undefined : earliestMove(life.containers.map((one) => ownEnd(life, one, nowMs)));
  },
};

function ownEnd(life: PodLife, container: ContainerLife, nowMs: number): Move | undefined {
  if (!isRunning(container)) return undefined;
  const run = runOfContainer(life, container, nowMs);
  const ended = run.end;
  if (!ended) {
    // What it does later is not known yet: look again then.
    const later = !run.endless && run.knownMs > nowMs && run.knownMs < Number.POSITIVE_INFINITY;
    return later ? { atMs: run.knownMs, quiet: true, apply: () => undefined } : undefined;
  }
  return {
    atMs: ended.atMs,
    apply(_, atMs) {
      const message = lastWords(life, container, run, ended.atMs, ended.exitCode);
      end(container, atMs, { exitCode: ended.exitCode, reason: reasonOf(ended), message });
      // The next container's turn comes in the same write.
      if (container.role === "init") announcePull(life, atMs);
    },
  };
}
