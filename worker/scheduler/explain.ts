// What the scheduler knows of one pod, for people: its last attempts, and what another would find now.
import type { Random } from "../../shared/base/random.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { Client } from "../registry/client.ts";
import { type AttemptRecord, recordOf } from "./attempt-log.ts";
import { memoryOf, snapshotOf, wakerOf } from "./memory.ts";
import { isPending } from "./pending.ts";
import { plugins } from "./plugins/catalogue.ts";
import type { Entry } from "./queue-entry.ts";
import { schedule } from "./schedule-pod.ts";

export interface Explanation {
  readonly apiVersion: "sandbar.dev/v1";
  readonly kind: "PodScheduling";
  readonly metadata: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly schedulerName: string;
  readonly nodeName?: string;
  readonly queue?: {
    readonly place: Entry["place"] | "gated";
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

export function explain(client: Client, pod: Pod, nowMs: number): Explanation {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  const memory = memoryOf(client);
  const entry = memory.queue.get(uid);
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
  const { start } = snapshot;
  const outcome = schedule(wakerOf(memory, client).cycleOf(pod), plugins, first, nowMs);
  snapshot.start = start;
  return {
    ...explanation,
    ...(entry ? { queue: placeOf(entry, memory.queue.backoffMs(entry, nowMs)) } : {}),
    current: recordOf(outcome, snapshot.order.length, nowMs),
  };
}

function placeOf({ place, gate, rejectors }: Entry, backoffMs: number) {
  if (gate !== undefined) return { place: "gated", waitsFor: [gate], backoffMs: 0 } as const;
  return { place, waitsFor: place === "waiting" ? [...(rejectors ?? [])].sort() : [], backoffMs };
}
