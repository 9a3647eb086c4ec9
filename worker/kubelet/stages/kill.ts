// The kernel ends containers from outside: with SIGKILL, or because they are out of memory.
import { end, isRunning, type PodLife } from "../life.ts";
import type { Stage } from "./stage.ts";

const sigkillExitCode = 137;

export const kill: Stage = {
  name: "kill",
  next(life, nowMs) {
    const { killed } = life.node;
    if (!killed || life.isKilled || selected(life).length === 0) return undefined;
    return {
      atMs: nowMs,
      apply(_, atMs) {
        for (const container of selected(life))
          end(container, atMs, { exitCode: sigkillExitCode, reason: killed.reason });
        // A container that starts again in the same sync is not ended a second time.
        life.isKilled = true;
      },
    };
  },
};

function selected(life: PodLife) {
  const name = life.node.killed?.container;
  return life.containers.filter(
    (container) => isRunning(container) && (name ?? container.spec.name) === container.spec.name,
  );
}
