// What the spec of a volume must be that stands in the attachment of one that has no PersistentVolume.
import type { PersistentVolumeSpec } from "../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, forbidden, required } from "../../../shared/k8s/field.ts";
import { validateAccessModes } from "../claims/access-modes.ts";
import { validateSource } from "./sources.ts";

const inline = "in the context of inline volumes";

export function validateInlineSpec(spec: PersistentVolumeSpec, at: FieldPath): FieldError[] {
  const { accessModes = [], persistentVolumeReclaimPolicy: policy, volumeMode } = spec;
  const errors: FieldError[] = [];
  const refuse = (field: keyof PersistentVolumeSpec) =>
    errors.push(forbidden(at.child(field), `may not be specified ${inline}`));
  if (spec.claimRef) refuse("claimRef");
  if (Object.keys(spec.capacity ?? {}).length > 0) refuse("capacity");
  if (!spec.csi) errors.push(required(at.child("csi"), `has to be specified ${inline}`));
  if (accessModes.length === 0) errors.push(required(at.child("accessModes")));
  errors.push(...validateAccessModes(accessModes, at.child("accessModes")));
  if (policy && policy !== "Retain") {
    errors.push(forbidden(at.child("persistentVolumeReclaimPolicy"), `may only be Retain ${inline}`));
  }
  if (spec.nodeAffinity) refuse("nodeAffinity");
  errors.push(...validateSource(spec, "", at));
  if (spec.storageClassName) refuse("storageClassName");
  if (volumeMode !== undefined && volumeMode !== "Filesystem") {
    errors.push(forbidden(at.child("volumeMode"), `may not specify volumeMode other than Filesystem ${inline}`));
  }
  return errors;
}
