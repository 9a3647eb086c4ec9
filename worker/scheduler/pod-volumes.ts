// The volumes of a pod that keep other pods away: claims, and disks of old kinds that are not shared.
import type { Pod, Volume } from "../../shared/k8s/api/core-v1.ts";
import { type PodClaim, claimsOf } from "../controllers/common/volumes/pod-claims.ts";

/** A disk that only so many may mount; two of the same key conflict unless both may be shared. */
export interface Disk {
  readonly keys: readonly string[];
  readonly isShared: boolean;
}

export interface PodVolumes {
  readonly claims: readonly PodClaim[];
  readonly disks: readonly Disk[];
}

/** Undefined for a pod without any such volumes. */
export function podVolumesOf(pod: Pod): PodVolumes | undefined {
  const claims = claimsOf(pod);
  const disks = disksOf(pod);
  return claims.length + disks.length > 0 ? { claims, disks } : undefined;
}

export function disksOf({ spec }: Pod): readonly Disk[] {
  return (spec.volumes ?? []).flatMap((volume) => diskOf(volume) ?? []);
}

/** Upstream's `isVolumeConflict`. */
export function disksConflict(a: Disk, b: Disk): boolean {
  return !(a.isShared && b.isShared) && a.keys.some((key) => b.keys.includes(key));
}

function diskOf({ gcePersistentDisk: gce, awsElasticBlockStore: aws, iscsi, rbd }: Volume): Disk | undefined {
  if (gce) return { keys: [`gce ${gce.pdName}`], isShared: gce.readOnly === true };
  if (aws) return { keys: [`aws ${aws.volumeID}`], isShared: false };
  if (iscsi) return { keys: [`iscsi ${iscsi.iqn}`], isShared: iscsi.readOnly === true };
  if (!rbd) return undefined;
  const image = `${rbd.pool ?? "rbd"} ${rbd.image}`;
  return { keys: rbd.monitors.map((monitor) => `rbd ${monitor} ${image}`), isShared: rbd.readOnly === true };
}
