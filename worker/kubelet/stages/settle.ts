// The last status of a pod whose containers are stopped for good (upstream: the status manager's `TerminatePod`).
import { type ContainerLife, hasRun, lastEnd, ofRole, type PodLife } from "../life.ts";
import { initialize } from "./order.ts";

const unknownEnd = {
  exitCode: 137,
  reason: "ContainerStatusUnknown",
  message: "The container could not be located when the pod was terminated",
  startedAt: null,
  finishedAt: null,
} as const;

/** Ends every container: those that wait for a restart, and those never started if the pod was initialized, which count as failed. */
export function settle(life: PodLife): void {
  for (const container of life.containers) {
    const ended = lastEnd(container.status);
    if (container.status.state.waiting && ended) become(container, ended);
  }
  if (initialize(life) !== undefined) {
    for (const container of ofRole(life, "main")) if (!container.status.state.terminated) become(container, unknownEnd);
  }
  const init = ofRole(life, "init", "sidecar");
  const begun = init.findLastIndex(hasRun);
  for (const container of init.slice(0, begun + 1))
    if (!container.status.state.terminated) become(container, unknownEnd);
}

function become(
  container: ContainerLife,
  terminated: NonNullable<ContainerLife["status"]["state"]["terminated"]>,
): void {
  container.status = { ...container.status, state: { terminated }, lastState: {}, ready: false, started: false };
}
