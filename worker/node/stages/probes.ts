// Probes answer: a container is started, then ready.
import { type ContainerLife, isRunning, type PodLife } from "../life.ts";
import { readyMs, startedMs } from "./probe-times.ts";
import { earliestMove, type Move, type Stage } from "./stage.ts";

export const answerProbes: Stage = {
  name: "answer probes",
  next(life) {
    // A pod that is being deleted is still probed for readiness, but nothing here would change it.
    if (life.pod.metadata.deletionTimestamp !== undefined || life.failing) return undefined;
    return earliestMove(life.containers.map((one) => answer(life, one)));
  },
};

function answer(life: PodLife, container: ContainerLife): Move | undefined {
  const { spec, status, role } = container;
  if (!isRunning(container) || role === "init") return undefined;
  if (!status.started) {
    const apply = () => {
      container.status = { ...container.status, started: true, ready: spec.readinessProbe === undefined };
    };
    return { atMs: startedMs(life, container), apply };
  }
  if (status.ready) return undefined;
  const apply = () => {
    container.status = { ...container.status, ready: true };
  };
  return { atMs: readyMs(life, container), apply };
}
