// The scheduler's memory of a cluster. It is derived from the stored objects; losing it only costs time.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { noNode, pods } from "../kinds/core/pod/pod.ts";
import type { Client } from "../registry/client.ts";
import { AttemptLog } from "./attempt-log.ts";
import { cycleOf } from "./cycle.ts";
import { isPending } from "./pending.ts";
import type { Cycle } from "./framework.ts";
import type { MemoryFormat } from "../runtime/controller.ts";
import { type SavedQueue, SchedulingQueue } from "./queue.ts";
import { type Requeuing, runPreEnqueuePlugins } from "./requeue.ts";
import { Snapshot } from "./snapshot.ts";

export interface Memory {
  /** Built on first use, as is the snapshot. */
  queue: SchedulingQueue | undefined;
  snapshot: Snapshot | undefined;
  readonly log: AttemptLog;
  /** The uids of assumed pods that were preempted before they were bound. Their resources count as free. */
  readonly preemptedAssumed: Set<string>;
}

export function newMemory(): Memory {
  return { queue: undefined, snapshot: undefined, log: new AttemptLog(), preemptedAssumed: new Set() };
}

interface SavedMemory {
  readonly queue?: SavedQueue;
  readonly preemptedAssumed: readonly string[];
}

export const memoryFormat: MemoryFormat<Memory> = {
  save: ({ queue, preemptedAssumed }): SavedMemory => ({
    ...(queue ? { queue: queue.save() } : {}),
    preemptedAssumed: [...preemptedAssumed],
  }),
  restore: (memory, saved) => {
    // `save` wrote it.
    const { queue, preemptedAssumed } = saved as SavedMemory;
    if (queue) memory.queue = SchedulingQueue.restore(queue);
    for (const uid of preemptedAssumed) memory.preemptedAssumed.add(uid);
  },
};

/** Returns the queue, built if necessary. Existing pods start as unschedulable, since pods to be tried have requests in the work queue. */
export function queueOf(memory: Memory, client: Client): SchedulingQueue {
  if (memory.queue) return memory.queue;
  const queue = new SchedulingQueue();
  memory.queue = queue;
  const waiting = client.byIndexValue(pods, noNode).filter(isPending);
  for (const pod of waiting.sort(byAge)) queue.add(pod, runPreEnqueuePlugins(newCycle(pod, memory, client)));
  return queue;
}

export function snapshotOf(memory: Memory, client: Client): Snapshot {
  if (memory.snapshot) return memory.snapshot;
  const snapshot = new Snapshot();
  for (const node of client.each(nodes)) snapshot.setNode(node);
  for (const pod of client.each(pods)) snapshot.setPod(pod);
  memory.snapshot = snapshot;
  return snapshot;
}

export function newCycle(pod: Pod, memory: Memory, client: Client): Cycle {
  return cycleOf(pod, () => snapshotOf(memory, client), client);
}

export function requeuingOf(memory: Memory, client: Client): Requeuing {
  return { queue: queueOf(memory, client), client, cycleOf: (pod) => newCycle(pod, memory, client) };
}

/** Compares pods by age. Of those that were created in the same second the one that changed first comes first. */
function byAge(a: Pod, b: Pod): number {
  const [first, second] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  if (first === second) return Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion);
  return first < second ? -1 : 1;
}
