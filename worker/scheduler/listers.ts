// The listers of storage and devices that plugins use.
import type { PersistentVolume, PersistentVolumeClaim } from "../../shared/k8s/api/core-v1.ts";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from "../../shared/k8s/api/storage-v1.ts";
import { csiDrivers } from "../kinds/storage/csi-driver.ts";
import { csiNodes } from "../kinds/storage/csi-node.ts";
import { csiStorageCapacities } from "../kinds/storage/csi-storage-capacity.ts";
import { persistentVolumeClaims } from "../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../kinds/core/persistent-volume/persistent-volume.ts";
import { storageClasses } from "../kinds/storage/storage-class.ts";
import { volumeAttachments } from "../kinds/storage/volume-attachment.ts";
import type { Client } from "../registry/client.ts";
import type { DeviceClass, ResourceClaim, ResourceSlice } from "../../shared/k8s/api/resource-v1.ts";
import { deviceClasses } from "../kinds/resource/device-class.ts";
import { resourceClaims } from "../kinds/resource/resource-claim.ts";
import { resourceSlices } from "../kinds/resource/resource-slice.ts";

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

/** Returns a lister that reads each object once per attempt. */
export function storageOf(client: Client): StorageLister {
  const claims = once((key) => {
    const [namespace = "", name = ""] = key.split("/");
    return client.get(persistentVolumeClaims, namespace, name);
  });
  const lists = {
    volumes: once(() => client.list(persistentVolumes)),
    capacities: once(() => client.list(csiStorageCapacities)),
    attachments: once(() => client.list(volumeAttachments)),
  };
  return {
    claim: (namespace, name) => claims(`${namespace}/${name}`),
    volume: once((name) => client.get(persistentVolumes, "", name)),
    volumes: () => lists.volumes(""),
    storageClass: once((name) => client.get(storageClasses, "", name)),
    driver: once((name) => client.get(csiDrivers, "", name)),
    csiNode: once((name) => client.get(csiNodes, "", name)),
    capacities: () => lists.capacities(""),
    attachments: () => lists.attachments(""),
  };
}

function once<T>(read: (key: string) => T): (key: string) => T {
  const cache = new Map<string, { readonly value: T }>();
  return (key) => {
    const entry = cache.get(key) ?? { value: read(key) };
    cache.set(key, entry);
    return entry.value;
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
