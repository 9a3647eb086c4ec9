// Statuses of containers that the kubelet hands back: each is the course of a run.
import type { ContainerStatus } from "../cri.ts";
import type { Trace } from "../shell/trace.ts";

/** Every status that a kubelet has was given out by this runtime. */
export function traceOf(status: ContainerStatus): Trace {
  return status as Trace;
}
