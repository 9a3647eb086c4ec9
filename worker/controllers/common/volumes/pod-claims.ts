// Finds the claims of a pod's volumes.
import type { PersistentVolumeClaim, Pod, Volume } from "../../../../shared/k8s/api/core-v1.ts";
import { getControllerOf } from "../../../../shared/k8s/meta.ts";

export interface PodClaim {
  readonly name: string;
  /** Whether the claim is created from a template in the pod's spec. */
  readonly isEphemeral: boolean;
}

export function claimsOf(pod: Pod): readonly PodClaim[] {
  return (pod.spec.volumes ?? []).flatMap((volume): PodClaim[] => {
    if (volume.persistentVolumeClaim) return [{ name: volume.persistentVolumeClaim.claimName, isEphemeral: false }];
    return volume.ephemeral ? [{ name: volumeClaimName(pod, volume), isEphemeral: true }] : [];
  });
}

export function namesClaim(pod: Pod, name: string): boolean {
  return claimsOf(pod).some((podClaim) => podClaim.name === name);
}

export function volumeClaimName({ metadata }: Pod, volume: Volume): string {
  return `${metadata.name ?? ""}-${volume.name}`;
}

/** Returns why a claim with the right name does not belong to the pod. */
export function volumeIsForPod(pod: Pod, claim: PersistentVolumeClaim): string | undefined {
  const { namespace = "", name = "", uid } = pod.metadata;
  if (claim.metadata.namespace === namespace && getControllerOf(claim)?.uid === uid) return undefined;
  const key = `${claim.metadata.namespace ?? ""}/${claim.metadata.name ?? ""}`;
  return `PVC ${key} was not created for pod ${namespace}/${name} (pod is not owner)`;
}

export function isPodTerminated({ metadata, status }: Pod): boolean {
  if (status.phase === "Failed" || status.phase === "Succeeded") return true;
  if (metadata.deletionTimestamp === undefined) return false;
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const all = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  return all.every(({ state }) => state.terminated || state.waiting);
}
