// Lifecycle hooks: only how long they take matters.
import type { LifecycleHandler } from "../../../shared/k8s/api/core-v1.ts";
import { runProgram } from "../images/programs.ts";

/** The milliseconds that a hook takes; a request to the container itself is answered at once. */
export function hookMs(hook: LifecycleHandler | undefined): number {
  if (hook?.sleep) return hook.sleep.seconds * 1000;
  const command = hook?.exec?.command;
  return command?.length ? runProgram(command).runsMs : 0;
}
