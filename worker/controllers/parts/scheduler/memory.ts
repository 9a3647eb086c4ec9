// What the scheduler knows of each cluster that lives in this isolate. All of it is derived: losing it costs time only.
import type { Pod } from "../../../../shared/k8s/api/core-v1.ts";
import { nodes } from "../../../kinds/core/node/node.ts";
import { noNode, pods } from "../../../kinds/core/pod/pod.ts";
import type { Client } from "../../../registry/client.ts";
import { AttemptLog } from "./attempt-log.ts";
import { cycleOf } from "./cycle.ts";
import { isPending } from "./pending.ts";
import type { Cycle } from "./plugin.ts";
import { SchedulingQueue } from "./queue.ts";
import { Snapshot } from "./snapshot.ts";
import { type Waker, gateOf } from "./wake.ts";

export interface Memory {
  readonly queue: SchedulingQueue;
  readonly log: AttemptLog;
  /** Uids of pods whose place was given to others before they were bound: that frees as much as a deletion does. */
  readonly released: Set<string>;
  /** Built when it is first needed. */
  snapshot: Snapshot | undefined;
}

const memories = new WeakMap<Client, Memory>();

export function knownMemory(client: Client): Memory | undefined {
  return memories.get(client);
}

/** Pods that are there already wait: what is to be tried has a request of its own. */
export function memoryOf(client: Client): Memory {
  const known = memories.get(client);
  if (known) return known;
  const memory: Memory = {
    queue: new SchedulingQueue(),
    log: new AttemptLog(),
    released: new Set(),
    snapshot: undefined,
  };
  memories.set(client, memory);
  const { cycleOf: cycle } = wakerOf(memory, client);
  const waiting = client.byIndexValue(pods, noNode).filter(isPending);
  for (const pod of waiting.sort(byAge)) memory.queue.add(pod, gateOf(cycle(pod)));
  return memory;
}

export function wakerOf(memory: Memory, client: Client): Waker {
  const cycle = (pod: Pod): Cycle => cycleOf(pod, () => snapshotOf(memory, client), client);
  return { queue: memory.queue, client, cycleOf: cycle };
}

export function snapshotOf(memory: Memory, client: Client): Snapshot {
  if (memory.snapshot) return memory.snapshot;
  const snapshot = new Snapshot();
  for (const node of client.each(nodes)) snapshot.setNode(node);
  for (const pod of client.each(pods)) snapshot.setPod(pod);
  memory.snapshot = snapshot;
  return snapshot;
}

function byAge(a: Pod, b: Pod): number {
  return (a.metadata.creationTimestamp ?? "") < (b.metadata.creationTimestamp ?? "") ? -1 : 1;
}
