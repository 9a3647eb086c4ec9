// Prints a volume's source in upstream's internal form for differences. Its fields have no JSON names.
import type { PersistentVolumeSource, SecretReference } from "../../../../shared/k8s/api/core-v1.ts";

/** All sources in the order of upstream's struct. */
const order: readonly (readonly [keyof PersistentVolumeSource, string])[] = [
  ["gcePersistentDisk", "GCEPersistentDisk"],
  ["awsElasticBlockStore", "AWSElasticBlockStore"],
  ["hostPath", "HostPath"],
  ["glusterfs", "Glusterfs"],
  ["nfs", "NFS"],
  ["rbd", "RBD"],
  ["quobyte", "Quobyte"],
  ["iscsi", "ISCSI"],
  ["flexVolume", "FlexVolume"],
  ["cinder", "Cinder"],
  ["cephfs", "CephFS"],
  ["fc", "FC"],
  ["flocker", "Flocker"],
  ["azureFile", "AzureFile"],
  ["vsphereVolume", "VsphereVolume"],
  ["azureDisk", "AzureDisk"],
  ["photonPersistentDisk", "PhotonPersistentDisk"],
  ["portworxVolume", "PortworxVolume"],
  ["scaleIO", "ScaleIO"],
  ["local", "Local"],
  ["storageos", "StorageOS"],
  ["csi", "CSI"],
];

/** Returns an indented text for comparison. */
export function internalSource(source: PersistentVolumeSource): string {
  const entries = order.map(([field, name]) => [name, formOf(source, field)]);
  return JSON.stringify(Object.fromEntries(entries), null, 1);
}

/** Returns the form of a source: complete for sources in use, otherwise with its set fields. */
function formOf(source: PersistentVolumeSource, field: keyof PersistentVolumeSource): unknown {
  const { hostPath, nfs, local, csi } = source;
  if (field === "hostPath" && hostPath) return { Path: hostPath.path, Type: hostPath.type ?? null };
  if (field === "nfs" && nfs) return { Server: nfs.server, Path: nfs.path, ReadOnly: nfs.readOnly ?? false };
  if (field === "local" && local) return { Path: local.path, FSType: local.fsType ?? null };
  if (field === "csi" && csi) {
    return {
      Driver: csi.driver,
      VolumeHandle: csi.volumeHandle,
      ReadOnly: csi.readOnly ?? false,
      FSType: csi.fsType ?? "",
      VolumeAttributes: csi.volumeAttributes ?? null,
      ControllerPublishSecretRef: referenceForm(csi.controllerPublishSecretRef),
      NodeStageSecretRef: referenceForm(csi.nodeStageSecretRef),
      NodePublishSecretRef: referenceForm(csi.nodePublishSecretRef),
      ControllerExpandSecretRef: referenceForm(csi.controllerExpandSecretRef),
      NodeExpandSecretRef: referenceForm(csi.nodeExpandSecretRef),
    };
  }
  const value = source[field];
  if (!value) return null;
  return Object.fromEntries(
    Object.entries(value).map(([name, value]) => [name[0]?.toUpperCase() + name.slice(1), value]),
  );
}

function referenceForm(reference: SecretReference | undefined): unknown {
  return reference ? { Name: reference.name ?? "", Namespace: reference.namespace ?? "" } : null;
}
