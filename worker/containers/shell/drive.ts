// Runs tasks of processes: answers each system call from the world and the simulated clock.
import type { Contact, Reached } from "./contact.ts";
import type { SystemCall, Task } from "../../../shared/shell/task.ts";
import { elapse, elapseTo, type Process, serviceAt } from "./process.ts";
import type { ContainerCall } from "./system-call.ts";

/** The task is suspended at the run's horizon. */
const suspended = Symbol("suspended");

/** A task that stops at the horizon of its run and can be resumed. */
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

  /** Returns when the task continues; Infinity if it has ended or waits for ever. */
  nextMs(): number {
    return this.#pending && !this.#hasEnded ? wakeMs(this.#pending) : Number.POSITIVE_INFINITY;
  }

  /** Runs the task up to the horizon. An error of an answer is thrown at the system call; an uncaught error ends the task. */
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
 * this way, with its stack in place. At the horizon the process is abandoned.
 */
export function driveInside<Result>(task: Task<Result>): Result {
  let step = task.next();
  while (!step.done) {
    const next = answered(task, step.value, answerInside);
    // Sleeps are never suspended here.
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
  const containerCall = call as ContainerCall;
  const { process } = containerCall;
  if (containerCall.call === "sleep") return elapse(process, containerCall.wakeMs() - process.clockMs);
  if (containerCall.call === "read") return containerCall.input.more?.(process) ?? false;
  return answer(call);
}

/** Calls whose answers depend on more than the process itself. */
const callsOfOthers: ReadonlySet<string> = new Set<ContainerCall["call"]>([
  "connect",
  "resolve",
  "lookUpAddress",
  "listPods",
  "inspect",
  "readLog",
]);

function answer(call: SystemCall): unknown {
  // Only a container's processes yield here.
  const containerCall = call as ContainerCall;
  const { process } = containerCall;
  const { world } = process;
  if (callsOfOthers.has(containerCall.call)) process.horizon.hasAsked = true;
  switch (containerCall.call) {
    case "sleep":
      return waitsUntil(process, containerCall.wakeMs()) ? undefined : suspended;
    case "repeat":
      process.paused = true;
      process.endless = true;
      return undefined;
    case "read":
      return waitsUntil(process, wakeMs(call)) ? (containerCall.input.more?.(process) ?? false) : suspended;
    case "connect":
      return connected(process, containerCall.contact);
    case "resolve":
      return serviceAt(process, containerCall.namespace, containerCall.name);
    case "lookUpAddress":
      return world.nameOf?.(containerCall.address, process.clockMs);
    case "listPods":
      return world.node?.pods() ?? [];
    case "inspect": {
      const cluster = world.node?.cluster?.(process.clockMs);
      return cluster && containerCall.read(cluster);
    }
    case "readLog":
      return world.node?.log(containerCall.pod, containerCall.container, containerCall.previous, process.clockMs) ?? [];
    case "spawn":
      return containerCall.job.resume();
  }
}

/** Opens a connection. One that the run's own server opens for a visitor is recorded with the visit. */
function connected({ horizon: { visitId = "", visits }, world }: Process, contact: Contact): Reached | undefined {
  const open = world.onward?.(visitId)?.reach ?? world.reach;
  const visit = visits.get(visitId);
  return visit ? visit.connect(contact, open) : open?.(contact);
}

/** Lets a process wait. Returns false if it is to be suspended. A process with an interpreter's large memory is abandoned at the horizon. */
function waitsUntil(process: Process, atMs: number): boolean {
  if (process.horizon.machines === 0) return elapseTo(process, atMs);
  elapse(process, atMs - process.clockMs);
  return true;
}

/** Returns when a call that waits is answered. */
function wakeMs(call: SystemCall): number {
  const containerCall = call as ContainerCall;
  if (containerCall.call === "sleep") return containerCall.wakeMs();
  const nextMs = containerCall.call === "read" ? containerCall.input.nextMs?.() : undefined;
  return Math.max(nextMs ?? containerCall.process.clockMs, containerCall.process.clockMs);
}
