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

/** What waits for another start has ended; what was never started counts as failed once the pod was initialized. */
export function settle(life: PodLife): void {
  for (const one of life.containers) {
    const ended = lastEnd(one.status);
    if (one.status.state.waiting && ended) become(one, ended);
  }
  if (initialize(life) !== undefined) {
    for (const one of ofRole(life, "main")) if (!one.status.state.terminated) become(one, unknownEnd);
  }
  const init = ofRole(life, "init", "sidecar");
  const begun = init.findLastIndex(hasRun);
  for (const one of init.slice(0, begun + 1)) if (!one.status.state.terminated) become(one, unknownEnd);
}

function become(
  container: ContainerLife,
  terminated: NonNullable<ContainerLife["status"]["state"]["terminated"]>,
): void {
  container.status = { ...container.status, state: { terminated }, lastState: {}, ready: false, started: false };
}
