// Explains the scheduling of a pod to people: its last attempts, and the result of another attempt now.
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
    /** The plugins whose events can move the pod before its next attempt. */
    readonly waitsFor: readonly string[];
    readonly backoffMs: number;
  };
  /** The recorded attempts, oldest first. Empty for pods that were bound before the cluster was last loaded. */
  readonly attempts: readonly AttemptRecord[];
  /** The result of another attempt now, for a pod without a node. */
  readonly current?: AttemptRecord;
}

/** A random source that selects the first of several equal nodes. */
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
  // An explanation must not change where the next search starts.
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
