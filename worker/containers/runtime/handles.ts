// Converts statuses of containers that a kubelet hands back. Each was created by this runtime and is a trace.
import type { Beside, ContainerStatus } from "../cri.ts";
import type { Trace } from "../shell/trace.ts";

export interface Listener extends Beside {
  readonly run: Trace;
}

export function traceOf(status: ContainerStatus): Trace {
  return status as Trace;
}

/** Returns the same array, because a pod may have hundreds of containers and each call of a probe has all of them. */
export function listenersOf(beside: readonly Beside[]): readonly Listener[] {
  return beside as readonly Listener[];
}
