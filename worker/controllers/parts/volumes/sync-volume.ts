// Upstream's `syncVolume`: the phase of a volume, and what becomes of it after its claim.
import type { PersistentVolume, PersistentVolumeClaim } from "../../../../shared/k8s/api/core-v1.ts";
import { persistentVolumeClaims } from "../../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import type { Client } from "../../../registry/client.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import { hasAnnotation, provisionedBy } from "./annotations.ts";
import { setPhase, unbind } from "./binding.ts";
import { hasOtherVolumeMode } from "./matching.ts";
import { reclaim } from "./reclaiming.ts";

export function syncVolume(volume: PersistentVolume, context: ReconcileContext): void {
  const { client } = context;
  if (!volume.spec.claimRef?.uid) {
    setPhase(volume, "Available", client);
    return;
  }
  const claim = claimOf(volume, client);
  if (!claim) return release(volume, context);
  if (claim.spec.volumeName === volume.metadata.name) {
    setPhase(volume, "Bound", client);
  } else if (!claim.spec.volumeName) {
    // The claim's own turn binds it, unless the two cannot be one.
    if (hasOtherVolumeMode(volume, claim)) tellMismatch(volume, claim, context);
  } else if (isOurs(volume)) {
    release(volume, context);
  } else {
    unbind(volume, client);
  }
}

/** The claim that the volume is bound to, if it is still that one. */
export function claimOf({ spec: { claimRef } }: PersistentVolume, client: Client): PersistentVolumeClaim | undefined {
  const claim = claimRef && client.get(persistentVolumeClaims, claimRef.namespace ?? "", claimRef.name ?? "");
  return claim?.metadata.uid === claimRef?.uid ? claim : undefined;
}

/** Made for a claim that took another one. */
function isOurs({ metadata, spec }: PersistentVolume): boolean {
  return hasAnnotation(metadata, provisionedBy) && spec.persistentVolumeReclaimPolicy === "Delete";
}

function release(volume: PersistentVolume, context: ReconcileContext): void {
  const { phase } = volume.status;
  const isReleased = phase === "Released" || phase === "Failed";
  reclaim(isReleased ? volume : setPhase(volume, "Released", context.client), context);
}

function tellMismatch(volume: PersistentVolume, claim: PersistentVolumeClaim, { event }: ReconcileContext): void {
  const [volumeName, claimName] = [volume, claim].map(({ metadata }) => JSON.stringify(metadata.name ?? ""));
  const why = "due to incompatible volumeMode.";
  const head = "Cannot bind PersistentVolume";
  event(volume, "Warning", "VolumeMismatch", `${head} to requested PersistentVolumeClaim ${claimName ?? ""} ${why}`);
  event(claim, "Warning", "VolumeMismatch", `${head} ${volumeName ?? ""} to requested PersistentVolumeClaim ${why}`);
}
