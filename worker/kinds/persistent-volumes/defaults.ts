// Upstream's defaults of a PersistentVolume and of where it lies.
import type { PersistentVolume } from "../../../shared/k8s/api/core-v1.ts";
import { roundUpToMilli } from "../pods/default-resources.ts";
import { defaultAzureDisk, defaultRbd, defaultScaleIo } from "../pods/default-volumes.ts";

export function defaultPersistentVolume({ spec, status }: PersistentVolume): void {
  status.phase ??= "Pending";
  spec.persistentVolumeReclaimPolicy ??= "Retain";
  spec.volumeMode ??= "Filesystem";
  roundUpToMilli(spec.capacity);
  if (spec.hostPath) spec.hostPath.type ??= "";
  if (spec.rbd) defaultRbd(spec.rbd);
  if (spec.iscsi) spec.iscsi.iscsiInterface ??= "default";
  if (spec.azureDisk) defaultAzureDisk(spec.azureDisk);
  if (spec.scaleIO) defaultScaleIo(spec.scaleIO);
}
