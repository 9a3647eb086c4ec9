// Binds and unbinds volumes and claims.
import type {
  ObjectReference,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimPhase,
  PersistentVolumePhase,
} from "../../../../shared/k8s/api/core-v1.ts";
import { compareQuantities, parseQuantity, zeroQuantity } from "../../../../shared/k8s/quantity.ts";
import { persistentVolumeClaims } from "../../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../../kinds/core/persistent-volume/persistent-volume.ts";
import type { Client } from "../../../registry/client.ts";
import type { EventRecorder } from "../../../runtime/events.ts";
import {
  bindCompleted,
  boundByController,
  hasAnnotation,
  preResizeCapacity,
  withAnnotations,
  withoutAnnotation,
} from "./annotations.ts";
import { isVolumeBoundToClaim } from "./matching.ts";

/** Binds: writes the volume, its phase, the claim, and its phase. A step that is done already writes nothing. */
export function bind(volume: PersistentVolume, claim: PersistentVolumeClaim, client: Client): void {
  const bound = updateVolumePhase(
    client.update(persistentVolumes, getBindVolumeToClaim(volume, claim)),
    "Bound",
    client,
  );
  const { volumeName } = claim.spec;
  const isNamed = volumeName === bound.metadata.name;
  const metadata = withAnnotations(claim.metadata, {
    ...(isNamed ? {} : { [boundByController]: "yes" }),
    ...(hasAnnotation(claim.metadata, bindCompleted) ? {} : { [bindCompleted]: "yes" }),
  });
  const spec = { ...claim.spec, volumeName: bound.metadata.name ?? "" };
  updateClaimStatus(client.update(persistentVolumeClaims, { ...claim, metadata, spec }), "Bound", bound, client);
}

/** Returns the volume bound to the claim. */
export function getBindVolumeToClaim(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const { claimRef } = volume.spec;
  const metadata = isVolumeBoundToClaim(volume, claim)
    ? volume.metadata
    : withAnnotations(volume.metadata, { [boundByController]: "yes" });
  const hasUid = claimRef !== undefined && claimRef.uid === claim.metadata.uid && isVolumeBoundToClaim(volume, claim);
  return { ...volume, metadata, spec: hasUid ? volume.spec : { ...volume.spec, claimRef: referenceTo(claim) } };
}

export function referenceTo({ metadata }: PersistentVolumeClaim): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    kind: "PersistentVolumeClaim",
    apiVersion: "v1",
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
}

/** Unbinds a volume. A claimRef that a user set keeps the claim's name; one that the controller set is removed. */
export function unbind(volume: PersistentVolume, client: Client): void {
  const { claimRef, ...spec } = volume.spec;
  const { uid: _uid, ...meant } = claimRef ?? {};
  const next = hasAnnotation(volume.metadata, boundByController)
    ? { ...volume, metadata: withoutAnnotation(volume.metadata, boundByController), spec }
    : { ...volume, spec: { ...spec, claimRef: meant } };
  updateVolumePhase(client.update(persistentVolumes, next), "Available", client);
}

export function updateVolumePhase(
  volume: PersistentVolume,
  phase: PersistentVolumePhase,
  client: Client,
  message = "",
): PersistentVolume {
  if (volume.status.phase === phase) return volume;
  const { message: _message, lastPhaseTransitionTime: _time, ...status } = volume.status;
  const next = { ...status, phase, ...(message ? { message } : {}) };
  return client.updateStatus(persistentVolumes, { ...volume, status: next });
}

/** Sets the phase of a volume after an error, and records the event. */
export function updateVolumePhaseWithEvent(
  volume: PersistentVolume,
  reason: string,
  message: string,
  { client, event }: { readonly client: Client; readonly event: EventRecorder },
): void {
  if (volume.status.phase === "Failed") return;
  event(updateVolumePhase(volume, "Failed", client, message), "Warning", reason, message);
}

/** Writes the status of a claim, with or without a volume. */
export function updateClaimStatus(
  claim: PersistentVolumeClaim,
  phase: PersistentVolumeClaimPhase,
  volume: PersistentVolume | undefined,
  client: Client,
): PersistentVolumeClaim {
  const { accessModes: _modes, capacity, currentVolumeAttributesClassName: attributes, ...rest } = claim.status;
  if (!volume) return client.updateStatus(persistentVolumeClaims, { ...claim, status: { ...rest, phase } });
  const { accessModes, volumeAttributesClassName } = volume.spec;
  const isNew = claim.status.phase !== phase;
  const hasOtherSize = compareQuantities(size(capacity), size(volume.spec.capacity)) !== 0;
  // While a file system still has to grow, the claim shows its current size.
  const before = volume.metadata.annotations?.[preResizeCapacity];
  const volumeCapacity = before === undefined ? volume.spec.capacity : { ...capacity, storage: before };
  const nextCapacity = isNew && (hasOtherSize || before !== undefined) ? volumeCapacity : capacity;
  const nextAttributes = isNew && claim.status.phase === "Pending" ? volumeAttributesClassName : attributes;
  const status = {
    ...rest,
    phase,
    ...(accessModes ? { accessModes } : {}),
    ...(nextCapacity ? { capacity: nextCapacity } : {}),
    ...(nextAttributes ? { currentVolumeAttributesClassName: nextAttributes } : {}),
  };
  return client.updateStatus(persistentVolumeClaims, { ...claim, status });
}

function size(list: Readonly<Record<string, string>> | undefined) {
  return parseQuantity(list?.["storage"] ?? "0") ?? zeroQuantity;
}
