// The scheduler: finds a node for every pod that has none, or says why there is none.
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
import { attempt } from "./parts/scheduler/attempt.ts";
import { type Change, type ObjectsByKind, nodeChange, objectChange, podChange } from "./parts/scheduler/change.ts";
import { type Memory, knownMemory, memoryOf, wakerOf } from "./parts/scheduler/memory.ts";
import { failureOf, isPending, schedulerName } from "./parts/scheduler/pending.ts";
import { priorityOf } from "./parts/scheduler/pod-info.ts";
import type { Entry } from "./parts/scheduler/queue-entry.ts";
import { gateOf, wake, wakeOne } from "./parts/scheduler/wake.ts";

export const schedulerController = defineController({
  name: "scheduler",
  user: "system:kube-scheduler",
  component: schedulerName,
  watches: [
    watch<Node>(nodes, function* (next, previous, client) {
      const snapshot = knownMemory(client)?.snapshot;
      if (next) snapshot?.setNode(next);
      else snapshot?.removeNode(previous?.metadata.name ?? "");
      yield* woken(client, () => nodeChange(next, previous));
    }),
    watch<Pod>(pods, function* (next, previous, client) {
      const snapshot = knownMemory(client)?.snapshot;
      if (next) snapshot?.setPod(next);
      else snapshot?.removePod(previous?.metadata.uid ?? "");
      yield* afterWaiting(next, previous, client);
      yield* afterPlaced(next, previous, client);
    }),
    wakingWatch<PersistentVolumeClaim>(persistentVolumeClaims, "PersistentVolumeClaim"),
    wakingWatch<PersistentVolume>(persistentVolumes, "PersistentVolume"),
    wakingWatch<StorageClass>(storageClasses, "StorageClass"),
    wakingWatch<CSINode>(csiNodes, "CSINode"),
    wakingWatch<CSIDriver>(csiDrivers, "CSIDriver"),
    wakingWatch<CSIStorageCapacity>(csiStorageCapacities, "CSIStorageCapacity"),
    wakingWatch<VolumeAttachment>(volumeAttachments, "VolumeAttachment"),
    wakingWatch<ResourceClaim>(resourceClaims, "ResourceClaim"),
    wakingWatch<ResourceSlice>(resourceSlices, "ResourceSlice"),
    wakingWatch<DeviceClass>(deviceClasses, "DeviceClass"),
  ],
  reconcile({ namespace, name }, context) {
    const { client, nowMs } = context;
    const memory = memoryOf(client);
    const { queue } = memory;
    const pod = client.get(pods, namespace, name);
    const asked = pod && isPending(pod) ? entryOf(memory, pod, client) : undefined;
    // Its request has outlived the queue that it stood in.
    if (asked && isUntried(asked)) queue.activate(asked);
    const entry = asked && queue.next(asked, nowMs);
    if (entry) attempt(entry, memory, context);
    for (const one of [...queue.overdue(nowMs)].slice(0, overdueTries)) attempt(one, memory, context);
    if (!asked || asked.place === "waiting" || queue.get(asked.uid) !== asked) return undefined;
    return { afterMs: queue.backoffMs(asked, nowMs) };
  },
});

/** Pods in one turn that are tried because they have waited long. */
const overdueTries = 20;

/** A kind that is only looked at for what it lets waiting pods do. */
function wakingWatch<T extends KubeObject>(kind: Kind<T>, name: Exclude<keyof ObjectsByKind, "Pod" | "Node">): Watch {
  return watch<T>(kind, (next, previous, client) => {
    // The kind's name is of this very type of object.
    const [after, before] = [next, previous] as unknown as [ObjectsByKind[typeof name] | undefined, undefined];
    return woken(client, () => objectChange(name, after, before));
  });
}

/** Where no pod waits there is nobody to wake, and nothing has to be built to know it. */
function* woken(client: Client, changeOf: () => Change, onlyTo?: number): Generator<Request> {
  const known = knownMemory(client);
  const isEmpty = known ? known.queue.size === 0 : client.byIndexValue(pods, noNode).length === 0;
  if (isEmpty) return;
  yield* wake(wakerOf(memoryOf(client), client), changeOf(), onlyTo);
}

/** A new pod without a node, or what has changed in one. */
function* afterWaiting(next: Pod | undefined, previous: Pod | undefined, client: Client): Generator<Request> {
  const uid = (next ?? previous)?.metadata.uid ?? "";
  if (!next || !isPending(next)) {
    knownMemory(client)?.queue.remove(uid);
    return;
  }
  const memory = memoryOf(client);
  const known = memory.queue.get(uid);
  if (!known || !previous) {
    const entry = entryOf(memory, next, client);
    // A change that is read once more tells of a pod that has been tried since.
    const current = client.get(pods, entry.namespace, entry.name);
    if (isUntried(entry) && current && failureOf(current) === undefined) memory.queue.activate(entry);
    if (entry.place !== "waiting") yield requestOf(next);
    return;
  }
  yield* wakeOne(wakerOf(memory, client), known, podChange(next, previous));
  if (known.place !== "waiting") yield requestOf(next);
}

/** A pod that came to a node, changed there, or left it; and one for which a node is no longer kept. */
function* afterPlaced(next: Pod | undefined, previous: Pod | undefined, client: Client): Generator<Request> {
  const after = next && occupies(next) ? next : undefined;
  const before = previous && occupies(previous) ? previous : undefined;
  if (after || before) yield* woken(client, () => podChange(after, before));
  if (!previous || !isPending(previous)) return;
  const kept = previous.status.nominatedNodeName;
  if (!kept || next?.spec.nodeName || next?.status.nominatedNodeName === kept) return;
  const isReleased = knownMemory(client)?.released.delete(previous.metadata.uid ?? "");
  // Pods of more importance have not minded that the node was kept for it.
  yield* woken(client, () => podChange(undefined, previous), isReleased ? undefined : priorityOf(previous));
}

/** Has a node and has not ended: what upstream's informer knows of pods with a node. */
function occupies({ spec, status }: Pod): boolean {
  return Boolean(spec.nodeName) && status.phase !== "Succeeded" && status.phase !== "Failed";
}

/** Nothing is known of a try, and no gate keeps it from one. */
function isUntried({ gate, rejectors }: Entry): boolean {
  return gate === undefined && rejectors === undefined;
}

function entryOf(memory: Memory, pod: Pod, client: Client): Entry {
  const known = memory.queue.get(pod.metadata.uid ?? "");
  return known ?? memory.queue.add(pod, gateOf(wakerOf(memory, client).cycleOf(pod)));
}
