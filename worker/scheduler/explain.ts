// What the scheduler knows of one pod, for people: its last attempts, and what another attempt would find now.
import type { Random } from "../../shared/base/random.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { Client } from "../registry/client.ts";
import { type AttemptRecord, recordOf } from "./attempt-log.ts";
import { type Memory, newCycle, queueOf, snapshotOf } from "./memory.ts";
import { isPending } from "./pending.ts";
import { plugins } from "./plugins/catalogue.ts";
import type { QueuedPodInfo } from "./queue.ts";
import { schedulePod } from "./schedule-pod.ts";

export interface Explanation {
  readonly apiVersion: "sandbar.dev/v1";
  readonly kind: "PodScheduling";
  readonly metadata: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly schedulerName: string;
  readonly nodeName?: string;
  readonly queue?: {
    readonly place: "active" | "backoff" | "waiting" | "gated";
    /** What may change before it is tried again: something that these plugins look at. */
    readonly waitsFor: readonly string[];
    readonly backoffMs: number;
  };
  /** The oldest first; none are known of a pod that was placed before this cluster last woke. */
  readonly attempts: readonly AttemptRecord[];
  /** What an attempt would find now, for a pod that has no node. */
  readonly current?: AttemptRecord;
}

/** Where several nodes are equally good, the first is as good as any to tell of. */
const first: Pick<Random, "next"> = { next: () => 0 };

export function explain(memory: Memory, client: Client, pod: Pod, nowMs: number): Explanation {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  const queue = queueOf(memory, client);
  const entry = queue.get(uid);
  const explanation = {
    apiVersion: "sandbar.dev/v1",
    kind: "PodScheduling",
    metadata: { namespace, name, uid },
    schedulerName: pod.spec.schedulerName ?? "",
    attempts: memory.log.of(uid),
  } as const;
  if (!isPending(pod)) return { ...explanation, ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}) };
  const snapshot = snapshotOf(memory, client);
  // Looking does not move where the next search begins.
  const { nextStartNodeIndex } = snapshot;
  const outcome = schedulePod(newCycle(pod, memory, client), plugins, first, nowMs);
  snapshot.nextStartNodeIndex = nextStartNodeIndex;
  return {
    ...explanation,
    ...(entry ? { queue: placeOf(entry, queue.backoffMs(entry, nowMs)) } : {}),
    current: recordOf(outcome, snapshot.nodeInfoList.length, nowMs),
  };
}

function placeOf({ place, gatingPlugin, unschedulablePlugins }: QueuedPodInfo, backoffMs: number) {
  if (gatingPlugin !== undefined) return { place: "gated", waitsFor: [gatingPlugin], backoffMs: 0 } as const;
  if (place !== "unschedulable") return { place, waitsFor: [], backoffMs };
  return { place: "waiting", waitsFor: [...(unschedulablePlugins ?? [])].sort(), backoffMs } as const;
}
