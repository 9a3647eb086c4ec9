// Runs tasks of processes: answers each system call from the world and the simulated clock.
import type { Contact, Reached } from "./contact.ts";
import type { SystemCall, Task } from "../../../shared/shell/task.ts";
import { elapse, elapseTo, type Process, serviceAt } from "./process.ts";
import type { ContainerCall } from "./system-call.ts";

/** The task is suspended at the run's horizon. */
const suspended = Symbol("suspended");

/** A task that stops at the horizon of its run and goes on from there. */
export class Thread {
  readonly #task: Task<void>;
  /** The call at which it is suspended. */
  #pending: SystemCall | undefined;
  #hasBegun = false;
  #hasEnded = false;

  constructor(task: Task<void>) {
    this.#task = task;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Returns when it goes on; Infinity if it has ended or waits for ever. */
  nextMs(): number {
    return this.#pending && !this.#hasEnded ? wakeMs(this.#pending) : Number.POSITIVE_INFINITY;
  }

  /** Goes on up to the horizon. An error of an answer is thrown where the call was made; what the task throws ends it. */
  resume(): void {
    if (this.#hasEnded) return;
    try {
      this.#follow();
    } catch (error) {
      this.#hasEnded = true;
      throw error;
    }
  }

  #follow(): void {
    const begun = this.#hasBegun ? undefined : this.#task.next();
    this.#hasBegun = true;
    let call = begun ? (begun.done ? undefined : begun.value) : this.#pending;
    this.#pending = undefined;
    while (call) {
      const step = answered(this.#task, call, answer);
      if (step === suspended) {
        this.#pending = call;
        return;
      }
      call = step.done ? undefined : step.value;
    }
    this.#hasEnded = true;
  }
}

/**
 * Runs a task for code that cannot yield: a function that WebAssembly called, or a server that answers its own process. MicroPython sleeps
 * this way, with its stack in place. At the horizon its process is left.
 */
export function driveInside<Result>(task: Task<Result>): Result {
  let step = task.next();
  while (!step.done) {
    const next = answered(task, step.value, answerInside);
    // Its sleeps are never suspended.
    if (next !== suspended) step = next;
  }
  return step.value;
}

/** Resumes a task with the answer to its call, or with what the answer threw. */
function answered<Result>(task: Task<Result>, call: SystemCall, answering: (call: SystemCall) => unknown) {
  let result: unknown;
  try {
    result = answering(call);
  } catch (error) {
    return task.throw(error);
  }
  return result === suspended ? suspended : task.next(result);
}

function answerInside(call: SystemCall): unknown {
  // Only a container's processes yield here.
  const asked = call as ContainerCall;
  const { process } = asked;
  if (asked.call === "sleep") return elapse(process, asked.wakeMs() - process.clockMs);
  if (asked.call === "read") return asked.input.more?.(process) ?? false;
  return answer(call);
}

/** Calls whose answers depend on more than the process itself. */
const callsOfOthers: ReadonlySet<string> = new Set<ContainerCall["call"]>([
  "connect",
  "resolve",
  "lookUpAddress",
  "listPods",
  "readLog",
]);

function answer(call: SystemCall): unknown {
  // Only a container's processes yield here.
  const asked = call as ContainerCall;
  const { process } = asked;
  const { world } = process;
  if (callsOfOthers.has(asked.call)) process.horizon.hasAsked = true;
  switch (asked.call) {
    case "sleep":
      return waitsUntil(process, asked.wakeMs()) ? undefined : suspended;
    case "repeat":
      process.paused = true;
      process.endless = true;
      return undefined;
    case "read":
      return waitsUntil(process, wakeMs(call)) ? (asked.input.more?.(process) ?? false) : suspended;
    case "connect":
      return connected(process, asked.contact);
    case "resolve":
      return serviceAt(process, asked.namespace, asked.name);
    case "lookUpAddress":
      return world.nameOf?.(asked.address, process.clockMs);
    case "listPods":
      return world.node?.pods() ?? [];
    case "readLog":
      return world.node?.log(asked.pod, asked.container, asked.previous, process.clockMs) ?? [];
    case "spawn":
      return asked.job.resume();
  }
}

/** Opens a connection. One that the run's own server opens for a visitor is recorded with the visit. */
function connected({ horizon: { visitId = "", visits }, world }: Process, contact: Contact): Reached | undefined {
  const open = world.onward?.(visitId)?.reach ?? world.reach;
  const visit = visits.get(visitId);
  return visit ? visit.connect(contact, open) : open?.(contact);
}

/** Lets a process wait; false if it is to be suspended. An interpreter's memory is too large to be kept: its process is left at the horizon. */
function waitsUntil(process: Process, atMs: number): boolean {
  if (process.horizon.machines === 0) return elapseTo(process, atMs);
  elapse(process, atMs - process.clockMs);
  return true;
}

/** Returns when a call that waits is answered. */
function wakeMs(call: SystemCall): number {
  const asked = call as ContainerCall;
  if (asked.call === "sleep") return asked.wakeMs();
  const nextMs = asked.call === "read" ? asked.input.nextMs?.() : undefined;
  return Math.max(nextMs ?? asked.process.clockMs, asked.process.clockMs);
}
