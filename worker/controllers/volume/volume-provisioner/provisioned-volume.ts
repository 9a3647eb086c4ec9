// The volume that a simulated provisioner makes for a claim. Pure.
import type { Node, PersistentVolume, PersistentVolumeClaim } from "../../../../shared/k8s/api/core-v1.ts";
import type { StorageClass } from "../../../../shared/k8s/api/storage-v1.ts";
import type { Draft } from "../../../../shared/k8s/meta.ts";
import { provisionedBy } from "../../common/volumes/annotations.ts";
import { referenceTo } from "../../common/volumes/binding.ts";

export interface Order {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  readonly provisioner: string;
  /** What the scheduler chose, where the class waits for it. */
  readonly node: Node | undefined;
}

/** On volumes of CSI provisioners: the disk is deleted before the object is gone. */
export const provisionerFinalizer = "external-provisioner.volume.kubernetes.io/finalizer";

export function volumeName({ metadata }: PersistentVolumeClaim): string {
  return `pvc-${metadata.uid ?? ""}`;
}

/** What all provisioners set alike. */
export function orderedVolume(
  { claim, storageClass, provisioner }: Order,
  more: Draft<PersistentVolume["spec"]>,
  annotations: Readonly<Record<string, string>> = {},
): Draft<PersistentVolume> {
  const { spec } = claim;
  const { mountOptions, metadata, reclaimPolicy } = storageClass;
  return {
    metadata: { name: volumeName(claim), annotations: { ...annotations, [provisionedBy]: provisioner } },
    spec: {
      capacity: { storage: spec.resources.requests?.storage ?? "0" },
      accessModes: spec.accessModes ?? [],
      claimRef: referenceTo(claim),
      persistentVolumeReclaimPolicy: reclaimPolicy ?? "Delete",
      storageClassName: metadata.name ?? "",
      ...(mountOptions ? { mountOptions } : {}),
      volumeMode: spec.volumeMode ?? "Filesystem",
      ...(spec.volumeAttributesClassName ? { volumeAttributesClassName: spec.volumeAttributesClassName } : {}),
      ...more,
    },
  };
}

/** A directory of a node, as local-path-provisioner makes it. */
export function localVolume(order: Order): Draft<PersistentVolume> {
  const { claim, node } = order;
  const { namespace = "", name = "" } = claim.metadata;
  const path = `/var/local-path-provisioner/${volumeName(claim)}_${namespace}_${name}`;
  const hostPath = { path, type: "DirectoryOrCreate" as const };
  const hostname = node?.metadata.labels?.["kubernetes.io/hostname"] ?? node?.metadata.name;
  if (hostname === undefined) return orderedVolume(order, { hostPath });
  const matchExpressions = [{ key: "kubernetes.io/hostname", operator: "In" as const, values: [hostname] }];
  const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions }] } };
  const annotations = { "local.path.provisioner/selected-node": node?.metadata.name ?? "" };
  return orderedVolume(order, { hostPath, nodeAffinity }, annotations);
}

/** Why local-path-provisioner makes no volume for a claim. */
export function localProblem({ spec }: PersistentVolumeClaim): string | undefined {
  if (spec.selector) return "claim.Spec.Selector is not supported";
  const isNear = (mode: string) => mode === "ReadWriteOnce" || mode === "ReadWriteOncePod";
  if (spec.accessModes?.every(isNear)) return undefined;
  return "NodePath only supports ReadWriteOnce and ReadWriteOncePod (1.22+) access modes";
}

/** A disk of a CSI driver that every node reaches. */
export function csiVolume(order: Order): Draft<PersistentVolume> {
  const { claim, storageClass, provisioner } = order;
  const fsType = storageClass.parameters?.["csi.storage.k8s.io/fstype"] ?? "ext4";
  const source = { driver: provisioner, volumeHandle: `vol-${(claim.metadata.uid ?? "").replaceAll("-", "")}` };
  const ordered = orderedVolume(order, { csi: claim.spec.volumeMode === "Block" ? source : { ...source, fsType } });
  return { ...ordered, metadata: { ...ordered.metadata, finalizers: [provisionerFinalizer] } };
}
