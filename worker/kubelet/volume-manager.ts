// The simulated kubelets' part in storage: registers drivers on nodes, reports the volumes in use, and expands file systems.
import type { Node, PersistentVolumeClaim, Pod } from "../../shared/k8s/api/core-v1.ts";
import type { CSIDriver } from "../../shared/k8s/api/storage-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { csiDrivers } from "../kinds/storage/csi-driver.ts";
import { csiNodes } from "../kinds/storage/csi-node.ts";
import { isSimulated } from "../kinds/core/node/simulated.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { persistentVolumeClaims } from "../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../kinds/core/persistent-volume/persistent-volume.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import { attachableVolumes } from "../kinds/storage/attachable.ts";
import { type ReconcileContext, type Request, defineController, requestOf, watch } from "../runtime/controller.ts";

type Client = ReconcileContext["client"];

const identity = { user: "system:node:sandbar", component: "kubelet" } as const;
const isPending = (claim: PersistentVolumeClaim) =>
  claim.status.allocatedResourceStatuses?.["storage"] === "NodeResizePending";

/** Registers every CSI driver of the cluster on each simulated node. Writes nothing while there is no driver. */
export const csiNodeRegistrar = defineController({
  ...identity,
  name: "csi-node-registrar",
  watches: [
    watch<CSIDriver>(csiDrivers, function* (next, previous, client): Generator<Request> {
      if (next && previous) return;
      for (const node of client.each(nodes)) if (isSimulated(node)) yield requestOf(node);
    }),
    watch<Node>(nodes, function* (next, previous, client): Generator<Request> {
      const isNew = next && isSimulated(next) && !(previous && isSimulated(previous));
      if (isNew && client.count(csiDrivers) > 0) yield requestOf(next);
    }),
  ],
  reconcile({ name }, { client }) {
    const node = client.get(nodes, "", name);
    if (!node || !isSimulated(node)) return undefined;
    const drivers = client
      .list(csiDrivers)
      .map(({ metadata }) => ({ name: metadata.name ?? "", nodeID: name, topologyKeys: [] }));
    const csiNode = client.get(csiNodes, "", name);
    if (csiNode) {
      const registered = csiNode.spec.drivers.filter((nodeDriver) =>
        drivers.some((driver) => driver.name === nodeDriver.name),
      );
      const added = drivers.filter((driver) => !registered.some((nodeDriver) => nodeDriver.name === driver.name));
      client.update(csiNodes, { ...csiNode, spec: { drivers: [...registered, ...added] } });
    } else if (drivers.length > 0) {
      const owner = { apiVersion: "v1", kind: "Node", name, uid: node.metadata.uid ?? "" };
      client.create(csiNodes, { metadata: { name, ownerReferences: [owner] }, spec: { drivers } });
    }
    return undefined;
  },
});

/** Maintains a node's `volumesInUse`: a volume is detached only after it has left this list. */
export const volumesInUse = defineController({
  ...identity,
  name: "kubelet-volumes",
  watches: [
    watch<Pod>(pods, function* (next, previous, client): Generator<Request> {
      const pod = next ?? previous;
      if (!pod?.spec.nodeName || !hasClaims(pod)) return;
      if (next && previous && isMounted(next) === isMounted(previous)) return;
      const node = client.get(nodes, "", pod.spec.nodeName);
      if (!node || !isSimulated(node)) return;
      if (node.status.volumesInUse || attachableVolumes(pod, client).length > 0) yield requestOf(node);
    }),
  ],
  reconcile({ name }, { client }) {
    const node = client.get(nodes, "", name);
    if (!node) return undefined;
    const mountedPods = client.byIndexValue(pods, name).filter(isMounted);
    const names = [
      ...new Set(mountedPods.flatMap((pod) => attachableVolumes(pod, client).map((volume) => volume.name))),
    ].sort();
    const { volumesInUse: before, ...status } = node.status;
    if (semanticEqual(before ?? [], names)) return undefined;
    client.updateStatus(nodes, { ...node, status: names.length > 0 ? { ...status, volumesInUse: names } : status });
    return undefined;
  },
});

/** Expands the file system of a claim once a pod on a simulated node has it mounted. Requests are claims. */
export const nodeExpansion = defineController({
  ...identity,
  name: "kubelet-expansion",
  watches: [
    watch<PersistentVolumeClaim>(persistentVolumeClaims, function* (next) {
      if (next && isPending(next)) yield requestOf(next);
    }),
    watch<Pod>(pods, function* (next, previous, client): Generator<Request> {
      if (!next?.status.podIP || previous?.status.podIP) return;
      const { namespace = "" } = next.metadata;
      for (const name of claimNames(next)) {
        const claim = client.get(persistentVolumeClaims, namespace, name);
        if (claim && isPending(claim)) yield { namespace, name };
      }
    }),
  ],
  reconcile({ namespace, name }, context) {
    const claim = context.client.get(persistentVolumeClaims, namespace, name);
    const user = claim && isPending(claim) ? userOf(claim, context.client) : undefined;
    if (claim && user) expand(claim, user, context);
    return undefined;
  },
});

function claimNames({ metadata, spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${metadata.name ?? ""}-${name}`] : [];
  });
}

function hasClaims({ spec }: Pod): boolean {
  return spec.volumes?.some((volume) => volume.persistentVolumeClaim ?? volume.ephemeral) ?? false;
}

function isMounted({ spec, status }: Pod): boolean {
  return spec.nodeName !== undefined && status.phase !== "Succeeded" && status.phase !== "Failed";
}

function userOf({ metadata }: PersistentVolumeClaim, client: Client): Pod | undefined {
  const { namespace = "", name = "" } = metadata;
  for (const pod of client.each(pods, { namespace })) {
    if (!isMounted(pod) || !pod.status.podIP || !claimNames(pod).includes(name)) continue;
    const node = client.get(nodes, "", pod.spec.nodeName ?? "");
    if (node && isSimulated(node)) return pod;
  }
  return undefined;
}

/** Expands a claim's file system (upstream: `MarkNodeExpansionInProgress` and `MarkNodeExpansionFinishedWithRecovery`). */
function expand(claim: PersistentVolumeClaim, pod: Pod, { client, event }: ReconcileContext): void {
  const volumeName = claim.spec.volumeName ?? "";
  const size = client.get(persistentVolumes, "", volumeName)?.spec.capacity?.["storage"];
  if (size === undefined) return;
  const allocatedResourceStatuses = {
    ...claim.status.allocatedResourceStatuses,
    storage: "NodeResizeInProgress" as const,
  };
  const begun = client.updateStatus(persistentVolumeClaims, {
    ...claim,
    status: { ...claim.status, allocatedResourceStatuses },
  });
  const host = pod.spec.nodeName ?? "";
  const message = `MountVolume.NodeExpandVolume succeeded for volume ${JSON.stringify(volumeName)} ${host}`;
  event(pod, "Normal", "FileSystemResizeSuccessful", message, { host });
  event(claim, "Normal", "FileSystemResizeSuccessful", message, { host });
  const { allocatedResourceStatuses: statuses, conditions = [], capacity, ...status } = begun.status;
  const { storage: _, ...otherStatuses } = statuses ?? {};
  const otherConditions = conditions.filter(({ type }) => !resizeConditions.includes(type));
  client.updateStatus(persistentVolumeClaims, {
    ...begun,
    status: {
      ...status,
      capacity: { ...capacity, storage: size },
      ...(otherConditions.length > 0 ? { conditions: otherConditions } : {}),
      ...(Object.keys(otherStatuses).length > 0 ? { allocatedResourceStatuses: otherStatuses } : {}),
    },
  });
}

const resizeConditions = ["Resizing", "FileSystemResizePending", "ControllerResizeError", "NodeResizeError"];
