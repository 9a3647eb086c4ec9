// What plugins read of storage and of devices.
import type { PersistentVolume, PersistentVolumeClaim } from "../../shared/k8s/api/core-v1.ts";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from "../../shared/k8s/api/storage-v1.ts";
import { csiDrivers } from "../kinds/csi-drivers.ts";
import { csiNodes } from "../kinds/csi-nodes.ts";
import { csiStorageCapacities } from "../kinds/csi-storage-capacities.ts";
import { persistentVolumeClaims } from "../kinds/persistent-volume-claims.ts";
import { persistentVolumes } from "../kinds/persistent-volumes.ts";
import { storageClasses } from "../kinds/storage-classes.ts";
import { volumeAttachments } from "../kinds/volume-attachments.ts";
import type { Client } from "../registry/client.ts";
import type { DeviceClass, ResourceClaim, ResourceSlice } from "../../shared/k8s/api/resource-v1.ts";
import { deviceClasses } from "../kinds/device-classes.ts";
import { resourceClaims } from "../kinds/resource-claims.ts";
import { resourceSlices } from "../kinds/resource-slices.ts";

export interface StorageLister {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  volumes(): readonly PersistentVolume[];
  storageClass(name: string): StorageClass | undefined;
  driver(name: string): CSIDriver | undefined;
  csiNode(name: string): CSINode | undefined;
  capacities(): readonly CSIStorageCapacity[];
  attachments(): readonly VolumeAttachment[];
}

export function storageOf(client: Client): StorageLister {
  return {
    claim: (namespace, name) => client.get(persistentVolumeClaims, namespace, name),
    volume: (name) => client.get(persistentVolumes, "", name),
    volumes: () => client.list(persistentVolumes),
    storageClass: (name) => client.get(storageClasses, "", name),
    driver: (name) => client.get(csiDrivers, "", name),
    csiNode: (name) => client.get(csiNodes, "", name),
    capacities: () => client.list(csiStorageCapacities),
    attachments: () => client.list(volumeAttachments),
  };
}

export interface DeviceLister {
  claim(namespace: string, name: string): ResourceClaim | undefined;
  claims(): Iterable<ResourceClaim>;
  deviceClass(name: string): DeviceClass | undefined;
  slices(): readonly ResourceSlice[];
}

export function devicesOf(client: Client): DeviceLister {
  return {
    claim: (namespace, name) => client.get(resourceClaims, namespace, name),
    claims: () => client.each(resourceClaims),
    deviceClass: (name) => client.get(deviceClasses, "", name),
    slices: () => client.list(resourceSlices),
  };
}
