// The scheduler: selects a node for every pod without one, or reports why there is none.
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "../../shared/k8s/api/core-v1.ts";
import type { DeviceClass, ResourceClaim, ResourceSlice } from "../../shared/k8s/api/resource-v1.ts";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from "../../shared/k8s/api/storage-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { csiDrivers } from "../kinds/storage/csi-driver.ts";
import { csiNodes } from "../kinds/storage/csi-node.ts";
import { csiStorageCapacities } from "../kinds/storage/csi-storage-capacity.ts";
import { deviceClasses } from "../kinds/resource/device-class.ts";
import type { Kind } from "../kinds/kind.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { persistentVolumeClaims } from "../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../kinds/core/persistent-volume/persistent-volume.ts";
import { noNode, pods } from "../kinds/core/pod/pod.ts";
import { resourceClaims } from "../kinds/resource/resource-claim.ts";
import { resourceSlices } from "../kinds/resource/resource-slice.ts";
import { storageClasses } from "../kinds/storage/storage-class.ts";
import { volumeAttachments } from "../kinds/storage/volume-attachment.ts";
import type { Client } from "../registry/client.ts";
import { type Request, type Watch, defineController, requestOf, watch } from "../runtime/controller.ts";
import { scheduleOne } from "./schedule-one.ts";
import { type ClusterEvent, type ObjectsByResource, nodeEvent, objectEvent, podEvent } from "./cluster-event.ts";
import { type Memory, memoryFormat, newCycle, newMemory, queueOf, requeuingOf } from "./memory.ts";
import { failureOf, isPending, schedulerName } from "./pending.ts";
import { priorityOf } from "./pod-info.ts";
import type { QueuedPodInfo } from "./queue.ts";
import { runPreEnqueuePlugins, moveAllToActiveOrBackoffQueue, movePodOnEvent } from "./requeue.ts";

export const schedulerController = defineController({
  name: "scheduler",
  isNeverStopped: true,
  user: "system:kube-scheduler",
  component: schedulerName,
  memory: newMemory,
  memoryFormat,
  watches: [
    watch<Node, Memory>(nodes, function* (next, previous, client, memory) {
      const { snapshot } = memory;
      if (next) snapshot?.setNode(next);
      else snapshot?.removeNode(previous?.metadata.name ?? "");
      yield* requeuePods(memory, client, () => nodeEvent(next, previous));
    }),
    watch<Pod, Memory>(pods, function* (next, previous, client, memory) {
      const { snapshot } = memory;
      if (next) snapshot?.setPod(next);
      else snapshot?.removePod(previous?.metadata.uid ?? "");
      yield* unscheduledPodChanged(next, previous, client, memory);
      yield* assignedPodChanged(next, previous, client, memory);
    }),
    requeueOn<PersistentVolumeClaim>(persistentVolumeClaims, "PersistentVolumeClaim"),
    requeueOn<PersistentVolume>(persistentVolumes, "PersistentVolume"),
    requeueOn<StorageClass>(storageClasses, "StorageClass"),
    requeueOn<CSINode>(csiNodes, "CSINode"),
    requeueOn<CSIDriver>(csiDrivers, "CSIDriver"),
    requeueOn<CSIStorageCapacity>(csiStorageCapacities, "CSIStorageCapacity"),
    requeueOn<VolumeAttachment>(volumeAttachments, "VolumeAttachment"),
    requeueOn<ResourceClaim>(resourceClaims, "ResourceClaim"),
    requeueOn<ResourceSlice>(resourceSlices, "ResourceSlice"),
    requeueOn<DeviceClass>(deviceClasses, "DeviceClass"),
  ],
  reconcile({ namespace, name }, context) {
    const { client, nowMs, memory } = context;
    const queue = queueOf(memory, client);
    const pod = client.get(pods, namespace, name);
    const requestedEntry = pod && isPending(pod) ? entryOf(memory, pod, client) : undefined;
    // The in-memory queue was lost, but the request was saved.
    if (requestedEntry && isUntried(requestedEntry)) queue.moveToActiveOrBackoffQueue(requestedEntry);
    const entry = requestedEntry && queue.next(requestedEntry, nowMs);
    if (entry) scheduleOne(entry, context);
    for (const leftoverEntry of [...queue.unschedulableLeftover(nowMs)].slice(0, leftoverTries))
      scheduleOne(leftoverEntry, context);
    if (!requestedEntry || requestedEntry.place === "unschedulable" || queue.get(requestedEntry.uid) !== requestedEntry)
      return undefined;
    return { afterMs: queue.backoffMs(requestedEntry, nowMs) };
  },
});

/** The number of long-waiting pods that one reconcile tries. */
const leftoverTries = 20;

/** Watches a kind whose changes can make pods schedulable. */
function requeueOn<T extends KubeObject>(
  kind: Kind<T>,
  name: Exclude<keyof ObjectsByResource, "Pod" | "Node">,
): Watch<Memory> {
  return watch<T, Memory>(kind, (next, previous, client, memory) => {
    // The kind's name determines the type of the objects.
    const [after, before] = [next, previous] as unknown as [ObjectsByResource[typeof name] | undefined, undefined];
    return requeuePods(memory, client, () => objectEvent(name, after, before));
  });
}

/** Moves pods for an event. If no pod waits, neither the queue nor the snapshot is built. Pods above `maxPriority` are not moved. */
function* requeuePods(
  memory: Memory,
  client: Client,
  eventOf: () => ClusterEvent,
  maxPriority?: number,
): Generator<Request> {
  const isEmpty = memory.queue ? memory.queue.size === 0 : client.byIndexValue(pods, noNode).length === 0;
  if (isEmpty) return;
  yield* moveAllToActiveOrBackoffQueue(requeuingOf(memory, client), eventOf(), maxPriority);
}

/** Handles a pod without a node that was created, changed or deleted. */
function* unscheduledPodChanged(
  next: Pod | undefined,
  previous: Pod | undefined,
  client: Client,
  memory: Memory,
): Generator<Request> {
  const uid = (next ?? previous)?.metadata.uid ?? "";
  if (!next || !isPending(next)) {
    memory.queue?.remove(uid);
    return;
  }
  const queue = queueOf(memory, client);
  const queued = queue.get(uid);
  if (!queued || !previous) {
    const entry = entryOf(memory, next, client);
    // A replayed change may be older than the last attempt, so the current pod is read.
    const current = client.get(pods, entry.namespace, entry.name);
    if (isUntried(entry) && current && failureOf(current) === undefined) queue.moveToActiveOrBackoffQueue(entry);
    if (entry.place !== "unschedulable") yield requestOf(next);
    return;
  }
  yield* movePodOnEvent(requeuingOf(memory, client), queued, podEvent(next, previous));
  if (queued.place !== "unschedulable") yield requestOf(next);
}

/** Handles a pod that was bound, changed on its node, or left it, and a pod that lost its nomination. */
function* assignedPodChanged(
  next: Pod | undefined,
  previous: Pod | undefined,
  client: Client,
  memory: Memory,
): Generator<Request> {
  const after = next && isAssignedAndActive(next) ? next : undefined;
  const before = previous && isAssignedAndActive(previous) ? previous : undefined;
  if (after || before) yield* requeuePods(memory, client, () => podEvent(after, before));
  if (!previous || !isPending(previous)) return;
  const nominated = previous.status.nominatedNodeName;
  if (!nominated || next?.spec.nodeName || next?.status.nominatedNodeName === nominated) return;
  const wasAssumed = memory.preemptedAssumed.delete(previous.metadata.uid ?? "");
  // Nominated pods only affect pods of the same or a lower priority.
  yield* requeuePods(
    memory,
    client,
    () => podEvent(undefined, previous),
    wasAssumed ? undefined : priorityOf(previous),
  );
}

/** Reports whether a pod has a node and has not ended. */
function isAssignedAndActive({ spec, status }: Pod): boolean {
  return Boolean(spec.nodeName) && status.phase !== "Succeeded" && status.phase !== "Failed";
}

/** Reports whether the pod has no recorded attempt and no gating plugin. */
function isUntried({ gatingPlugin, unschedulablePlugins }: QueuedPodInfo): boolean {
  return gatingPlugin === undefined && unschedulablePlugins === undefined;
}

function entryOf(memory: Memory, pod: Pod, client: Client): QueuedPodInfo {
  const queue = queueOf(memory, client);
  return queue.get(pod.metadata.uid ?? "") ?? queue.add(pod, runPreEnqueuePlugins(newCycle(pod, memory, client)));
}
