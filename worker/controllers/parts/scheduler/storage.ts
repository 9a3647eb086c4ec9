// What the scheduler asks about storage.
import type { PersistentVolume, PersistentVolumeClaim } from "../../../../shared/k8s/api/core-v1.ts";
import type { StorageClass } from "../../../../shared/k8s/api/storage-v1.ts";
import { persistentVolumeClaims } from "../../../kinds/persistent-volume-claims.ts";
import { persistentVolumes } from "../../../kinds/persistent-volumes.ts";
import { storageClasses } from "../../../kinds/storage-classes.ts";
import type { Client } from "../../../registry/client.ts";

export interface Storage {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  volumes(): readonly PersistentVolume[];
  storageClass(name: string): StorageClass | undefined;
}

export function storageOf(client: Client): Storage {
  return {
    claim: (namespace, name) => client.get(persistentVolumeClaims, namespace, name),
    volume: (name) => client.get(persistentVolumes, "", name),
    volumes: () => client.list(persistentVolumes),
    storageClass: (name) => client.get(storageClasses, "", name),
  };
}
