// Sets the phase of a volume, and reclaims it after its claim is deleted.
import type { PersistentVolume, PersistentVolumeClaim } from "../../../../shared/k8s/api/core-v1.ts";
import { persistentVolumeClaims } from "../../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import type { Client } from "../../../registry/client.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import { hasAnnotation, provisionedBy } from "../../common/volumes/annotations.ts";
import { updateVolumePhase, unbind } from "../../common/volumes/binding.ts";
import { hasOtherVolumeMode } from "../../common/volumes/matching.ts";
import { reclaimVolume } from "./reclaiming.ts";

export function syncVolume(volume: PersistentVolume, context: ReconcileContext): void {
  const { client } = context;
  if (!volume.spec.claimRef?.uid) {
    updateVolumePhase(volume, "Available", client);
    return;
  }
  const claim = claimOf(volume, client);
  if (!claim) return release(volume, context);
  if (claim.spec.volumeName === volume.metadata.name) {
    updateVolumePhase(volume, "Bound", client);
  } else if (!claim.spec.volumeName) {
    // The claim's reconcile binds it, unless the two do not match.
    if (hasOtherVolumeMode(volume, claim)) tellMismatch(volume, claim, context);
  } else if (isOurs(volume)) {
    release(volume, context);
  } else {
    unbind(volume, client);
  }
}

/** Returns the claim that the volume is bound to, if it is still the same one. */
export function claimOf({ spec: { claimRef } }: PersistentVolume, client: Client): PersistentVolumeClaim | undefined {
  const claim = claimRef && client.get(persistentVolumeClaims, claimRef.namespace ?? "", claimRef.name ?? "");
  return claim?.metadata.uid === claimRef?.uid ? claim : undefined;
}

/** Reports whether a volume was provisioned for a claim that uses another one. */
function isOurs({ metadata, spec }: PersistentVolume): boolean {
  return hasAnnotation(metadata, provisionedBy) && spec.persistentVolumeReclaimPolicy === "Delete";
}

function release(volume: PersistentVolume, context: ReconcileContext): void {
  const { phase } = volume.status;
  const isReleased = phase === "Released" || phase === "Failed";
  reclaimVolume(isReleased ? volume : updateVolumePhase(volume, "Released", context.client), context);
}

function tellMismatch(volume: PersistentVolume, claim: PersistentVolumeClaim, { event }: ReconcileContext): void {
  const [volumeName, claimName] = [volume, claim].map(({ metadata }) => JSON.stringify(metadata.name ?? ""));
  const why = "due to incompatible volumeMode.";
  const head = "Cannot bind PersistentVolume";
  event(volume, "Warning", "VolumeMismatch", `${head} to requested PersistentVolumeClaim ${claimName ?? ""} ${why}`);
  event(claim, "Warning", "VolumeMismatch", `${head} ${volumeName ?? ""} to requested PersistentVolumeClaim ${why}`);
}
