// Runs tasks of processes: answers each system call at once, from the world and the simulated clock.
import type { SystemCall, Task } from "../../../shared/shell/task.ts";
import { elapse, type Process, serviceAt } from "./process.ts";
import type { ContainerCall } from "./system-call.ts";

/** Runs a task to its end. An error of an answer is thrown where the call was made. */
export function drive<Result>(task: Task<Result>): Result {
  let step = task.next();
  while (!step.done) {
    let result: unknown;
    try {
      result = answer(step.value);
    } catch (error) {
      step = task.throw(error);
      continue;
    }
    step = task.next(result);
  }
  return step.value;
}

/**
 * Runs a task for code that cannot yield: a function that WebAssembly called, or a server that answers its own process. MicroPython sleeps
 * this way, with its stack in place.
 */
export function driveInside<Result>(task: Task<Result>): Result {
  return drive(task);
}

function answer(call: SystemCall): unknown {
  // Only a container's processes yield here.
  const asked = call as ContainerCall;
  const { process } = asked;
  const { world } = process;
  switch (asked.call) {
    case "sleep":
      return elapse(process, asked.ms);
    case "repeat":
      return repeat(process, asked.periodMs, asked.rounds);
    case "read":
      return asked.input.more?.(process) ?? false;
    case "connect":
      return world.reach?.(asked.contact);
    case "resolve":
      return serviceAt(process, asked.namespace, asked.name);
    case "lookUpAddress":
      return world.nameOf?.(asked.address, process.clockMs);
    case "listPods":
      return world.node?.pods() ?? [];
    case "readLog":
      return world.node?.log(asked.pod, asked.container, asked.previous, process.clockMs) ?? [];
    case "spawn":
      return drive(asked.task);
  }
}

function repeat(process: Process, periodMs: number, rounds: number): void {
  if (rounds !== Number.POSITIVE_INFINITY) process.clockMs += rounds * periodMs;
  else {
    process.paused = true;
    process.endless = true;
  }
}
