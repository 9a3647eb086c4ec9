// The scheduler: finds a node for every pod that has none, or reports why there is none.
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
import { type Memory, newCycle, newMemory, queueOf, requeuingOf } from "./memory.ts";
import { failureOf, isPending, schedulerName } from "./pending.ts";
import { priorityOf } from "./pod-info.ts";
import type { QueuedPodInfo } from "./queue.ts";
import { runPreEnqueuePlugins, moveAllToActiveOrBackoffQueue, movePodOnEvent } from "./requeue.ts";

export const schedulerController = defineController({
  name: "scheduler",
  isWhole: true,
  user: "system:kube-scheduler",
  component: schedulerName,
  memory: newMemory,
  watches: [
    watch<Node, Memory>(nodes, function* (next, previous, client, memory) {
      const { snapshot } = memory;
      if (next) snapshot?.setNode(next);
      else snapshot?.removeNode(previous?.metadata.name ?? "");
      yield* requeued(memory, client, () => nodeEvent(next, previous));
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
    const asked = pod && isPending(pod) ? entryOf(memory, pod, client) : undefined;
    // The queue was lost, and the request has outlived it.
    if (asked && isUntried(asked)) queue.moveToActiveOrBackoffQueue(asked);
    const entry = asked && queue.next(asked, nowMs);
    if (entry) scheduleOne(entry, context);
    for (const one of [...queue.unschedulableLeftover(nowMs)].slice(0, leftoverTries)) scheduleOne(one, context);
    if (!asked || asked.place === "unschedulable" || queue.get(asked.uid) !== asked) return undefined;
    return { afterMs: queue.backoffMs(asked, nowMs) };
  },
});

/** Pods tried in one reconcile because they have waited long. */
const leftoverTries = 20;

/** A kind that is watched for the pods that it may make schedulable. */
function requeueOn<T extends KubeObject>(
  kind: Kind<T>,
  name: Exclude<keyof ObjectsByResource, "Pod" | "Node">,
): Watch<Memory> {
  return watch<T, Memory>(kind, (next, previous, client, memory) => {
    // The kind's name is of this very type of object.
    const [after, before] = [next, previous] as unknown as [ObjectsByResource[typeof name] | undefined, undefined];
    return requeued(memory, client, () => objectEvent(name, after, before));
  });
}

/** While no pod waits, neither queue nor snapshot is built. `maxPriority`: of the pods that are moved. */
function* requeued(
  memory: Memory,
  client: Client,
  eventOf: () => ClusterEvent,
  maxPriority?: number,
): Generator<Request> {
  const isEmpty = memory.queue ? memory.queue.size === 0 : client.byIndexValue(pods, noNode).length === 0;
  if (isEmpty) return;
  yield* moveAllToActiveOrBackoffQueue(requeuingOf(memory, client), eventOf(), maxPriority);
}

/** A pod without a node: new, changed, or gone. */
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
  const known = queue.get(uid);
  if (!known || !previous) {
    const entry = entryOf(memory, next, client);
    // The change may be read once more: the pod has been tried since.
    const current = client.get(pods, entry.namespace, entry.name);
    if (isUntried(entry) && current && failureOf(current) === undefined) queue.moveToActiveOrBackoffQueue(entry);
    if (entry.place !== "unschedulable") yield requestOf(next);
    return;
  }
  yield* movePodOnEvent(requeuingOf(memory, client), known, podEvent(next, previous));
  if (known.place !== "unschedulable") yield requestOf(next);
}

/** A pod that came to a node, changed there, or left it; and one that lost its nomination. */
function* assignedPodChanged(
  next: Pod | undefined,
  previous: Pod | undefined,
  client: Client,
  memory: Memory,
): Generator<Request> {
  const after = next && isAssignedAndActive(next) ? next : undefined;
  const before = previous && isAssignedAndActive(previous) ? previous : undefined;
  if (after || before) yield* requeued(memory, client, () => podEvent(after, before));
  if (!previous || !isPending(previous)) return;
  const nominated = previous.status.nominatedNodeName;
  if (!nominated || next?.spec.nodeName || next?.status.nominatedNodeName === nominated) return;
  const wasAssumed = memory.preemptedAssumed.delete(previous.metadata.uid ?? "");
  // Nominated pods are only counted for pods of the same or a lower priority.
  yield* requeued(memory, client, () => podEvent(undefined, previous), wasAssumed ? undefined : priorityOf(previous));
}

/** Has a node and has not ended. */
function isAssignedAndActive({ spec, status }: Pod): boolean {
  return Boolean(spec.nodeName) && status.phase !== "Succeeded" && status.phase !== "Failed";
}

/** No attempt is known, and no plugin gates it. */
function isUntried({ gatingPlugin, unschedulablePlugins }: QueuedPodInfo): boolean {
  return gatingPlugin === undefined && unschedulablePlugins === undefined;
}

function entryOf(memory: Memory, pod: Pod, client: Client): QueuedPodInfo {
  const queue = queueOf(memory, client);
  return queue.get(pod.metadata.uid ?? "") ?? queue.add(pod, runPreEnqueuePlugins(newCycle(pod, memory, client)));
}
