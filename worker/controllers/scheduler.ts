// The scheduler: finds a node for every pod that has none, or says why there is none.
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, PodCondition } from "../../shared/k8s/api/core-v1.ts";
import type { StorageClass } from "../../shared/k8s/api/storage-v1.ts";
import { nodes } from "../kinds/nodes.ts";
import { persistentVolumeClaims } from "../kinds/persistent-volume-claims.ts";
import { persistentVolumes } from "../kinds/persistent-volumes.ts";
import { noNode, pods } from "../kinds/pods.ts";
import { storageClasses } from "../kinds/storage-classes.ts";
import type { Client } from "../registry/client.ts";
import { type ReconcileContext, type Request, defineController, requestOf, watch } from "../runtime/controller.ts";
import { withPodCondition } from "./parts/pod-condition.ts";
import { afterClaim, afterStorage, bindVolumes } from "./parts/scheduler/bind-volumes.ts";
import { cycleOf } from "./parts/scheduler/cycle.ts";
import { isGated, isPending, schedulerName } from "./parts/scheduler/pending.ts";
import type { Cycle } from "./parts/scheduler/plugin.ts";
import { plugins } from "./parts/scheduler/plugins.ts";
import { afterNode, afterPod } from "./parts/scheduler/retries.ts";
import { fits, schedule } from "./parts/scheduler/schedule.ts";
import { Snapshot } from "./parts/scheduler/snapshot.ts";
import { volumeDecision } from "./parts/scheduler/volume-binding.ts";

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
      yield* afterNode(next, previous, () => waitingPods(client), client);
    }),
    watch<Pod>(pods, function* (next, previous, client) {
      const snapshot = snapshots.get(client);
      if (next) snapshot?.setPod(next);
      else snapshot?.removePod(previous?.metadata.uid ?? "");
      yield* toSchedule(next, previous);
      yield* afterPod(next, previous, () => waitingPods(client), client);
    }),
    watch<PersistentVolumeClaim>(persistentVolumeClaims, (next, _, client) => afterClaim(next, client)),
    watch<PersistentVolume>(persistentVolumes, (next, _, client) =>
      next ? afterStorage(waitingPods(client).values(), client) : [],
    ),
    watch<StorageClass>(storageClasses, (next, _, client) =>
      next ? afterStorage(waitingPods(client).values(), client) : [],
    ),
  ],
  reconcile({ namespace, name }, context) {
    const { client, nowMs, random, event } = context;
    const pod = client.get(pods, namespace, name);
    if (!pod || !isPending(pod) || isGated(pod)) return;
    const snapshot = pictureOf(client);
    const uid = pod.metadata.uid ?? "";
    const backoffMs = backoffLeftMs(snapshot, uid, nowMs);
    if (backoffMs > 0) return { afterMs: backoffMs };
    const cycle = cycleOf(pod, snapshot, client);
    const outcome = keptChoice(cycle) ?? schedule(cycle, plugins, random);
    if ("node" in outcome) {
      if (mustWaitForVolumes(cycle, outcome.node, client)) return;
      client.bind(namespace, name, uid, outcome.node);
      event(pod, "Normal", "Scheduled", `Successfully assigned ${namespace}/${name} to ${outcome.node}`);
      return;
    }
    snapshot.attempts.set(uid, { count: (snapshot.attempts.get(uid)?.count ?? 0) + 1, lastMs: nowMs });
    fail(pod, outcome.failure, context);
    return undefined;
  },
});

/** The node that was chosen when the pod's volumes were not bound yet, if it will still do. */
function keptChoice(cycle: Cycle): { readonly node: string } | undefined {
  const { snapshot, info } = cycle;
  const node = snapshot.node(snapshot.chosen.get(info.uid) ?? "");
  snapshot.chosen.delete(info.uid);
  return node && fits(cycle, plugins, node) ? { node: node.name } : undefined;
}

/** A pod is bound after its volumes are; the change of its claims brings it back. */
function mustWaitForVolumes(cycle: Cycle, nodeName: string, client: Client): boolean {
  const node = cycle.snapshot.node(nodeName);
  const decision = node && volumeDecision(cycle, node);
  if (!decision) return false;
  cycle.snapshot.chosen.set(cycle.info.uid, nodeName);
  bindVolumes(decision, nodeName, client);
  return true;
}

/** A new pod, or one that changed in what it asks for; not one that only the scheduler or a kubelet wrote to. */
function* toSchedule(next: Pod | undefined, previous: Pod | undefined): Generator<Request> {
  if (!next || !isPending(next) || isGated(next)) return;
  const isSame =
    previous !== undefined &&
    JSON.stringify(next.spec) === JSON.stringify(previous.spec) &&
    JSON.stringify(next.metadata.labels) === JSON.stringify(previous.metadata.labels);
  if (!isSame) yield requestOf(next);
}

/** Pods that found no node. Where all pods have one there are none, and no picture has to be built to know it. */
function waitingPods(client: Client): Snapshot["waiting"] {
  const known = snapshots.get(client);
  if (!known && client.byFacet(pods, noNode).length === 0) return new Map();
  return pictureOf(client).waiting;
}

/** The picture of a client's cluster, built if there is none. */
function pictureOf(client: Client): Snapshot {
  const known = snapshots.get(client);
  if (known) return known;
  const snapshot = new Snapshot();
  for (const node of client.each(nodes)) snapshot.setNode(node);
  for (const pod of client.each(pods)) snapshot.setPod(pod);
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
