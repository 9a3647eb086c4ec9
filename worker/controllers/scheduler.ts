// The scheduler: finds a node for every pod that has none, or says why there is none.
import type { Node, Pod, PodCondition } from "../../shared/k8s/api/core-v1.ts";
import { nodes } from "../kinds/nodes.ts";
import { pods } from "../kinds/pods.ts";
import type { Client } from "../registry/client.ts";
import { type ReconcileContext, type Request, defineController, requestOf, watch } from "../runtime/controller.ts";
import { withPodCondition } from "./parts/pod-condition.ts";
import { cycleOf } from "./parts/scheduler/cycle.ts";
import { isGated, isPending, schedulerName } from "./parts/scheduler/pending.ts";
import { plugins } from "./parts/scheduler/plugins.ts";
import { afterNode, afterPod } from "./parts/scheduler/retries.ts";
import { schedule } from "./parts/scheduler/schedule.ts";
import { Snapshot } from "./parts/scheduler/snapshot.ts";

/** Upstream's `podInitialBackoffSeconds` and `podMaxBackoffSeconds`. */
const firstBackoffMs = 1_000;
const longestBackoffMs = 10_000;
/** Upstream's `NoteLengthLimit`: an event says no more than this. */
const noteLength = 1024;

/** The picture of each cluster that lives in this isolate; derived, so that losing it costs time only. */
const snapshots = new WeakMap<Client, Snapshot>();

export const schedulerController = defineController({
  name: "scheduler",
  user: "system:kube-scheduler",
  component: schedulerName,
  watches: [
    watch<Node>(nodes, function* (next, previous, client) {
      const snapshot = snapshots.get(client);
      if (next) snapshot?.setNode(next);
      else snapshot?.removeNode(previous?.metadata.name ?? "");
      yield* afterNode(next, previous, () => pictureOf(client), client);
    }),
    watch<Pod>(pods, function* (next, previous, client) {
      const snapshot = snapshots.get(client);
      if (next) snapshot?.setPod(next);
      else snapshot?.removePod(previous?.metadata.uid ?? "");
      yield* toSchedule(next, previous);
      yield* afterPod(next, previous, () => pictureOf(client), client);
    }),
  ],
  reconcile({ namespace, name }, context) {
    const { client, nowMs, random, event } = context;
    const pod = client.get(pods, namespace, name);
    if (!pod || !isPending(pod) || isGated(pod)) return;
    const snapshot = pictureOf(client);
    const uid = pod.metadata.uid ?? "";
    const backoffMs = backoffLeftMs(snapshot, uid, nowMs);
    if (backoffMs > 0) return { afterMs: backoffMs };
    const outcome = schedule(cycleOf(pod, snapshot, client), plugins, random);
    if ("node" in outcome) {
      client.bind(namespace, name, uid, outcome.node);
      event(pod, "Normal", "Scheduled", `Successfully assigned ${namespace}/${name} to ${outcome.node}`);
      return;
    }
    snapshot.attempts.set(uid, { count: (snapshot.attempts.get(uid)?.count ?? 0) + 1, lastMs: nowMs });
    fail(pod, outcome.failure, context);
    return undefined;
  },
});

/** A new pod, or one that changed in what it asks for; not one that only the scheduler or a kubelet wrote to. */
function* toSchedule(next: Pod | undefined, previous: Pod | undefined): Generator<Request> {
  if (!next || !isPending(next) || isGated(next)) return;
  const isSame =
    previous !== undefined &&
    JSON.stringify(next.spec) === JSON.stringify(previous.spec) &&
    JSON.stringify(next.metadata.labels) === JSON.stringify(previous.metadata.labels);
  if (!isSame) yield requestOf(next);
}

/** The picture of a client's cluster, built if there is none. */
function pictureOf(client: Client): Snapshot {
  const known = snapshots.get(client);
  if (known) return known;
  const snapshot = new Snapshot();
  for (const node of client.list(nodes)) snapshot.setNode(node);
  for (const pod of client.list(pods)) snapshot.setPod(pod);
  snapshots.set(client, snapshot);
  return snapshot;
}

/** Upstream's backoff: a second after the first failure, doubling to ten. */
function backoffLeftMs(snapshot: Snapshot, uid: string, nowMs: number): number {
  const attempts = snapshot.attempts.get(uid);
  if (!attempts) return 0;
  const backoffMs = Math.min(firstBackoffMs * 2 ** (attempts.count - 1), longestBackoffMs);
  return attempts.lastMs + backoffMs - nowMs;
}

/** Upstream's `handleSchedulingFailure`. */
function fail(pod: Pod, message: string, { client, nowMs, event }: ReconcileContext): void {
  const note = message.length <= noteLength ? message : `${message.slice(0, noteLength - 4)} ...`;
  event(pod, "Warning", "FailedScheduling", note);
  const { generation } = pod.metadata;
  const condition: PodCondition = {
    type: "PodScheduled",
    ...(generation ? { observedGeneration: generation } : {}),
    status: "False",
    reason: "Unschedulable",
    message,
  };
  const conditions = withPodCondition(pod.status.conditions, condition, nowMs);
  if (conditions !== pod.status.conditions)
    client.updateStatus(pods, { ...pod, status: { ...pod.status, conditions } });
}
