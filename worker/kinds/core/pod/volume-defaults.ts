// Upstream's defaults of volumes and projections.
import type {
  AzureDiskVolumeSource,
  DownwardAPIVolumeFile,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  Volume,
} from "../../../../shared/k8s/api/core-v1.ts";
import { imageTag } from "./image-reference.ts";

/** The default file mode, 0644. */
const fileMode = 420;
const tokenSeconds = 3600;

export function defaultVolume(volume: Volume): void {
  if (Object.keys(volume).every((key) => key === "name")) volume.emptyDir = {};
  for (const source of [volume.secret, volume.configMap, volume.downwardAPI, volume.projected]) {
    if (source) source.defaultMode ??= fileMode;
  }
  for (const file of volume.downwardAPI?.items ?? []) defaultFile(file);
  for (const source of volume.projected?.sources ?? []) {
    for (const file of source.downwardAPI?.items ?? []) defaultFile(file);
    if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= tokenSeconds;
  }
  if (volume.hostPath) volume.hostPath.type ??= "";
  if (volume.iscsi) volume.iscsi.iscsiInterface ??= "default";
  if (volume.rbd) defaultRbd(volume.rbd);
  if (volume.azureDisk) defaultAzureDisk(volume.azureDisk);
  if (volume.scaleIO) defaultScaleIo(volume.scaleIO);
  if (volume.ephemeral?.volumeClaimTemplate) volume.ephemeral.volumeClaimTemplate.spec.volumeMode ??= "Filesystem";
  if (volume.image) {
    volume.image.pullPolicy ??= imageTag(volume.image.reference ?? "") === "latest" ? "Always" : "IfNotPresent";
  }
}

function defaultFile(file: DownwardAPIVolumeFile): void {
  if (file.fieldRef) file.fieldRef.apiVersion ??= "v1";
}

export function defaultRbd(source: Pick<RBDVolumeSource, "keyring" | "pool" | "user">): void {
  source.pool ??= "rbd";
  source.user ??= "admin";
  source.keyring ??= "/etc/ceph/keyring";
}

export function defaultAzureDisk(source: AzureDiskVolumeSource): void {
  source.cachingMode ??= "ReadWrite";
  source.kind ??= "Shared";
  source.fsType ??= "ext4";
  source.readOnly ??= false;
}

export function defaultScaleIo(source: Pick<ScaleIOVolumeSource, "fsType" | "storageMode">): void {
  source.storageMode ??= "ThinProvisioned";
  source.fsType ??= "xfs";
}
