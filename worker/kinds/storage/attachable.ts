// Finds the volumes of a pod that must be attached to its node: those of CSI drivers that require it.
import { stableHex } from "../../../shared/base/stable.ts";
import type { PersistentVolume, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { csiDrivers } from "./csi-driver.ts";
import type { WriteContext } from "../kind.ts";
import { persistentVolumeClaims } from "../core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../core/persistent-volume/persistent-volume.ts";

type Reader = Pick<WriteContext, "get">;

export interface AttachableVolume {
  readonly volume: PersistentVolume;
  readonly driver: string;
  /** The name in the node's status. */
  readonly name: string;
}

export function attachableVolumes(pod: Pod, reader: Reader): readonly AttachableVolume[] {
  const { namespace = "", name: podName = "" } = pod.metadata;
  return (pod.spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claimName = persistentVolumeClaim?.claimName ?? (ephemeral ? `${podName}-${name}` : undefined);
    const attachableVolume = claimName === undefined ? undefined : attachableOf(namespace, claimName, reader);
    return attachableVolume ? [attachableVolume] : [];
  });
}

/** Returns the volume of a bound claim, if it must be attached. */
export function attachableOf(namespace: string, claimName: string, reader: Reader): AttachableVolume | undefined {
  const claim = reader.get(persistentVolumeClaims, namespace, claimName);
  if (claim?.status.phase !== "Bound" || !claim.spec.volumeName) return undefined;
  const volume = reader.get(persistentVolumes, "", claim.spec.volumeName);
  return volume && attachable(volume, reader);
}

export function attachable(volume: PersistentVolume, reader: Reader): AttachableVolume | undefined {
  const { csi } = volume.spec;
  if (!csi || reader.get(csiDrivers, "", csi.driver)?.spec.attachRequired === false) return undefined;
  return { volume, driver: csi.driver, name: `kubernetes.io/csi/${csi.driver}^${csi.volumeHandle}` };
}

export function attachmentName({ volume, driver }: AttachableVolume, nodeName: string): string {
  return `csi-${stableHex(`${volume.spec.csi?.volumeHandle ?? ""}${driver}${nodeName}`, 64)}`;
}

export function isMultiAttachAllowed({ spec: { accessModes = [] } }: PersistentVolume): boolean {
  return accessModes.length === 0 || accessModes.includes("ReadWriteMany") || accessModes.includes("ReadOnlyMany");
}
