// What the scheduler remembers of a cluster. All of it is derived: losing it costs time only.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { noNode, pods } from "../kinds/core/pod/pod.ts";
import type { Client } from "../registry/client.ts";
import { AttemptLog } from "./attempt-log.ts";
import { cycleOf } from "./cycle.ts";
import { isPending } from "./pending.ts";
import type { Cycle } from "./framework.ts";
import { SchedulingQueue } from "./queue.ts";
import { type Requeuing, runPreEnqueuePlugins } from "./requeue.ts";
import { Snapshot } from "./snapshot.ts";

export interface Memory {
  /** Built when first needed, as is the snapshot. */
  queue: SchedulingQueue | undefined;
  snapshot: Snapshot | undefined;
  readonly log: AttemptLog;
  /** Uids of assumed pods that were preempted before they were bound: their room is free, as after a deletion. */
  readonly preemptedAssumed: Set<string>;
}

export function newMemory(): Memory {
  return { queue: undefined, snapshot: undefined, log: new AttemptLog(), preemptedAssumed: new Set() };
}

/** Pods that are there already come in as unschedulable: a pod to be tried has a request of its own. */
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

function byAge(a: Pod, b: Pod): number {
  return (a.metadata.creationTimestamp ?? "") < (b.metadata.creationTimestamp ?? "") ? -1 : 1;
}
