// Applies the results of probes: a container becomes started, ready, or no longer ready.
import { type ContainerLife, isRunning, type PodLife } from "../life.ts";
import { probeHistory, startedMs } from "./probe-history.ts";
import { earliestMove, type Move, type Stage } from "./stage.ts";

export const answerProbes: Stage = {
  name: "answer probes",
  next(life, nowMs) {
    // A pod that is being deleted is still probed for readiness, but the result would change nothing here.
    if (life.pod.metadata.deletionTimestamp !== undefined || life.failing) return undefined;
    return earliestMove(life.containers.map((container) => answer(life, container, nowMs)));
  },
};

function answer(life: PodLife, container: ContainerLife, nowMs: number): Move | undefined {
  const { spec, status, role } = container;
  if (!isRunning(container) || role === "init") return undefined;
  const set = (change: { readonly started?: true; readonly ready: boolean }) => () => {
    container.status = { ...container.status, ...change };
  };
  if (!status.started) {
    const atMs = startedMs(life, container, nowMs);
    return atMs === Number.POSITIVE_INFINITY
      ? undefined
      : { atMs, apply: set({ started: true, ready: !spec.readinessProbe }) };
  }
  if (!spec.readinessProbe) return status.ready ? undefined : { atMs: nowMs, apply: set({ ready: true }) };
  const { changes } = probeHistory(life, container, "readiness", nowMs);
  const past = changes.findLast((change) => change.atMs <= nowMs);
  if ((past?.ok ?? false) !== status.ready) return { atMs: past?.atMs ?? nowMs, apply: set({ ready: !status.ready }) };
  const next = changes.find((change) => change.atMs > nowMs);
  return next && { atMs: next.atMs, apply: set({ ready: next.ok }) };
}
