// System calls of a container's processes: everything that a process cannot know or do by itself. A process yields a call and is resumed
// with its result. Nothing else reads the world or moves the clock.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { SystemCall, Task } from "../../../shared/shell/task.ts";
import type { Input } from "./shell.ts";
import type { Chunk, InspectedCluster, Job, Process, ServiceView } from "./process.ts";
import type { Contact, Reached } from "./contact.ts";

/** A system call of a process. Background jobs and programs with a time limit have clocks of their own. */
export type ContainerCall = SystemCall & {
  readonly process: Process;
} /** The moment may depend on what happens meanwhile: it is asked for again whenever the run goes on. */ & (
    | { readonly call: "sleep"; readonly wakeMs: () => number }
    /** Skips equal rounds of a loop until something changes from outside. */
    | { readonly call: "repeat" }
    | { readonly call: "read"; readonly input: Input }
    | { readonly call: "connect"; readonly contact: Contact }
    | { readonly call: "resolve"; readonly namespace: string; readonly name: string }
    | { readonly call: "lookUpAddress"; readonly address: string }
    | { readonly call: "listPods" }
    | { readonly call: "inspect"; readonly read: (cluster: InspectedCluster) => unknown }
    | { readonly call: "readLog"; readonly pod: Pod; readonly container: string; readonly previous: boolean }
    /** Starts a process beside this one. */
    | { readonly call: "spawn"; readonly job: Job }
  );

/** Checks the type of a call, which `yield` does not. */
function asCall(call: ContainerCall): SystemCall {
  return call;
}

/** Lets time pass for the process, and applies changes from outside. */
export function* sleep(process: Process, ms: number): Task<void> {
  if (process.paused) return;
  const atMs = process.clockMs + ms;
  yield asCall({ call: "sleep", process, wakeMs: () => atMs });
}

/** Sleeps up to a moment that events may move; never before the present. */
export function* sleepUntil(process: Process, wakeMs: () => number): Task<void> {
  if (!process.paused) yield asCall({ call: "sleep", process, wakeMs });
}

export function* repeat(process: Process): Task<void> {
  yield asCall({ call: "repeat", process });
}

/** Waits for more of an input. Returns false if there is none, or none yet. */
export function* readMore(process: Process, input: Input): Task<boolean> {
  if (!input.more) return false;
  return (yield asCall({ call: "read", process, input })) as boolean;
}

/** Opens a connection. Returns undefined if no network is known. */
export function* connect(process: Process, contact: Contact): Task<Reached | undefined> {
  return (yield asCall({ call: "connect", process, contact })) as Reached | undefined;
}

/** Resolves a name of the cluster at the present time. */
export function* resolveService(process: Process, namespace: string, name: string): Task<ServiceView | undefined> {
  return (yield asCall({ call: "resolve", process, namespace, name })) as ServiceView | undefined;
}

/** Returns the name of an address, `name.namespace`, with a host before it if several addresses share the name. */
export function* lookUpAddress(process: Process, address: string): Task<string | undefined> {
  return (yield asCall({ call: "lookUpAddress", process, address })) as string | undefined;
}

/** Returns the pods of the process's node that have not ended; an empty list if there is no node. */
export function* listNodePods(process: Process): Task<readonly Pod[]> {
  return (yield asCall({ call: "listPods", process })) as readonly Pod[];
}

/** Reads the cluster's objects as a tool on a node does. Returns undefined if no cluster is known. */
export function* inspect<Result>(
  process: Process,
  read: (cluster: InspectedCluster) => Result,
): Task<Result | undefined> {
  return (yield asCall({ call: "inspect", process, read })) as Result | undefined;
}

export function* readLog(process: Process, pod: Pod, container: string, previous: boolean): Task<readonly Chunk[]> {
  return (yield asCall({ call: "readLog", process, pod, container, previous })) as readonly Chunk[];
}

export function* spawn(process: Process, job: Job): Task<void> {
  yield asCall({ call: "spawn", process, job });
}
