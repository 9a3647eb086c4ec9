// NodeVolumeLimits: limits the volumes of a CSI driver on a node to the driver's maximum.
import type { PersistentVolumeClaim } from "../../../shared/k8s/api/core-v1.ts";
import type { CSINode } from "../../../shared/k8s/api/storage-v1.ts";
import { classOfClaim } from "../../controllers/common/volumes/matching.ts";
import { claimsOf, namesClaim, volumeIsForPod } from "../../controllers/common/volumes/pod-claims.ts";
import type { NodeInfo } from "../node-info.ts";
import {
  type Cycle,
  type Plugin,
  type Status,
  unschedulable,
  unschedulableAndUnresolvable,
  errorStatus,
} from "../framework.ts";
import { isPlaced } from "../pending.ts";
import type { StorageLister } from "../listers.ts";

const status = unschedulable("node(s) exceed max volume count");

/** Attachable volumes: the driver by a unique name of the volume. */
type Attachable = ReadonlyMap<string, string>;

export const nodeVolumeLimits: Plugin = {
  name: "NodeVolumeLimits",
  preFilter(cycle) {
    if (claimsOf(cycle.pod).length === 0) return undefined;
    const podVolumes = wantedVolumes(cycle);
    if ("status" in podVolumes) return { filter: () => podVolumes.status };
    const volumes = podVolumes.volumes;
    return { filter: (node) => (volumes.size > 0 && exceeds(volumes, node, cycle.storage) ? status : undefined) };
  },
  eventsToRegister: [
    "CSINode/Add",
    "CSINode/Update",
    "Pod/Delete",
    "PersistentVolumeClaim/Add",
    "VolumeAttachment/Delete",
  ],
  queueingHint({ pod }, change) {
    switch (change.resource) {
      case "Pod":
        return change.oldObj !== undefined && isPlaced(change.oldObj) && claimsOf(change.oldObj).length > 0;
      case "PersistentVolumeClaim": {
        const { namespace, name = "" } = change.newObj?.metadata ?? {};
        return namespace === pod.metadata.namespace && namesClaim(pod, name);
      }
      case "VolumeAttachment":
        return claimsOf(pod).some(({ isEphemeral }) => !isEphemeral);
      case "CSINode":
        return !change.oldObj || !change.newObj || hasRisen(change.newObj, change.oldObj);
      default:
        return true;
    }
  },
};

function wantedVolumes({ pod, storage }: Cycle): { readonly volumes: Attachable } | { readonly status: Status } {
  const namespace = pod.metadata.namespace ?? "";
  const volumes = new Map<string, string>();
  for (const { name, isEphemeral } of claimsOf(pod)) {
    const claim = storage.claim(namespace, name);
    if (!claim) {
      const quoted = JSON.stringify(name);
      return {
        status: unschedulableAndUnresolvable(
          `looking up PVC ${namespace}/${name}: persistentvolumeclaim ${quoted} not found`,
        ),
      };
    }
    const problem = isEphemeral ? volumeIsForPod(pod, claim) : undefined;
    if (problem !== undefined) return { status: errorStatus(problem) };
    addVolume(volumes, claim, storage);
  }
  return { volumes };
}

function exceeds(podVolumes: Attachable, node: NodeInfo, storage: StorageLister): boolean {
  const limits = limitsOf(storage.csiNode(node.name));
  if (limits.size === 0) return false;
  const attached = new Map<string, string>();
  for (const { namespace, volumes } of node.pods.values()) {
    for (const { name } of volumes?.claims ?? []) {
      const claim = storage.claim(namespace, name);
      if (claim) addVolume(attached, claim, storage);
    }
  }
  const added = [...podVolumes].filter(([name]) => !attached.has(name));
  addAttachments(attached, node.name, storage);
  const counts = new Map<string, number>();
  const count = (driver: string) => counts.set(driver, (counts.get(driver) ?? 0) + 1);
  for (const driver of attached.values()) count(driver);
  for (const [, driver] of added) count(driver);
  return added.some(([, driver]) => (counts.get(driver) ?? 0) > (limits.get(driver) ?? Number.POSITIVE_INFINITY));
}

function addAttachments(attached: Map<string, string>, nodeName: string, storage: StorageLister): void {
  for (const { spec } of storage.attachments()) {
    if (spec.nodeName !== nodeName || !spec.attacher || !spec.source.persistentVolumeName) continue;
    const csi = storage.volume(spec.source.persistentVolumeName)?.spec.csi;
    if (csi) attached.set(`${spec.attacher}/${csi.volumeHandle}`, spec.attacher);
  }
}

/** Adds the volume of a claim. A claim without a volume counts as one that its class's provisioner will create. */
function addVolume(volumes: Map<string, string>, claim: PersistentVolumeClaim, storage: StorageLister): void {
  const volume = claim.spec.volumeName ? storage.volume(claim.spec.volumeName) : undefined;
  if (volume) {
    const { csi } = volume.spec;
    if (csi) volumes.set(`${csi.driver}/${csi.volumeHandle}`, csi.driver);
    return;
  }
  const driver = storage.storageClass(classOfClaim(claim))?.provisioner;
  const { namespace = "", name = "" } = claim.metadata;
  if (driver) volumes.set(`${driver}/claim ${namespace}/${name}`, driver);
}

function limitsOf(csiNode: CSINode | undefined): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const { name, allocatable } of csiNode?.spec.drivers ?? []) {
    if (allocatable?.count !== undefined) limits.set(name, allocatable.count);
  }
  return limits;
}

function hasRisen(after: CSINode, before: CSINode): boolean {
  const old = limitsOf(before);
  return [...limitsOf(after)].some(([name, limit]) => limit > (old.get(name) ?? 0));
}
