// CrashLoopBackOff: a container that keeps ending waits for its next start.
import type { ContainerStateTerminated } from "../../../shared/k8s/api/core-v1.ts";
import { type ContainerLife, isBeingStopped, isTerminalPhase, type PodLife, recordEvent, timeMs } from "../life.ts";
import { goDuration } from "../duration.ts";
import { phaseOf } from "../status/phase.ts";
import { backOffMs, shouldRestart, startFailures } from "./order.ts";
import { earliestMove, type Move, type Stage } from "./stage.ts";

/** The time for which the status shows the end before it shows the wait. */
const terminatedShownMs = 1_000;

export const crash: Stage = {
  name: "crash loop back-off",
  next(life) {
    if (isBeingStopped(life) || isTerminalPhase(phaseOf(life))) return undefined;
    return earliestMove(life.containers.map((container) => nextBackOff(life, container)));
  },
};

function nextBackOff(life: PodLife, container: ContainerLife): Move | undefined {
  const { state, lastState } = container.status;
  // A container that waits after a failed start shows the failure as its last state.
  const failedStart = startFailures.includes(state.waiting?.reason ?? "") ? lastState.terminated : undefined;
  const ended = state.terminated ?? failedStart;
  if (!ended || !shouldRestart(life, container, ended.exitCode)) return undefined;
  const waitMs = backOffMs(life, container);
  if (waitMs === 0) return undefined;
  return {
    atMs: timeMs(ended.finishedAt) + terminatedShownMs,
    apply: () => showBackOff(life, container, waitMs, ended),
  };
}

function showBackOff(life: PodLife, container: ContainerLife, waitMs: number, ended: ContainerStateTerminated): void {
  const { spec, status } = container;
  const { name, namespace, uid } = life.pod.metadata;
  const pod = `${name ?? ""}_${namespace ?? ""}(${uid ?? ""})`;
  recordEvent(life, "Warning", "BackOff", `Back-off restarting failed container ${spec.name} in pod ${pod}`, container);
  const message = `back-off ${goDuration(waitMs)} restarting failed container=${spec.name} pod=${pod}`;
  container.status = {
    ...status,
    state: { waiting: { reason: "CrashLoopBackOff", message } },
    lastState: { terminated: ended },
    ready: false,
    started: false,
  };
}
