// What the API warns of in a PersistentVolume.
import type { PersistentVolume, PersistentVolumeSource } from "../../../shared/k8s/api/core-v1.ts";
import { path } from "../../../shared/k8s/field.ts";
import { storageClassAnnotation } from "../claims/storage-class.ts";
import { termWarnings } from "../pods/scheduling-warnings.ts";
import { mountOptionsAnnotation } from "./sources.ts";

const deprecatedAnnotations: Readonly<Record<string, string>> = {
  [storageClassAnnotation]: 'deprecated since v1.8; use "storageClassName" attribute instead',
  [mountOptionsAnnotation]: 'deprecated since v1.31; use "mountOptions" attribute instead',
};
const deprecatedSources: readonly (readonly [keyof PersistentVolumeSource, string, string])[] = [
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

export function volumeWarnings({ metadata, spec }: PersistentVolume): string[] {
  const warnings = Object.entries(deprecatedAnnotations)
    .filter(([key]) => metadata.annotations?.[key] !== undefined)
    .map(([key, message]) => `${path("metadata", "annotations").key(key)}: ${message}`);
  if (spec.persistentVolumeReclaimPolicy === "Recycle") {
    const why = "Instead, the recommended approach is to use dynamic provisioning.";
    warnings.push(`spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. ${why}`);
  }
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const at = path("spec", "nodeAffinity", "required", "nodeSelectorTerms");
  warnings.push(...terms.flatMap((term, index) => termWarnings(term, at.index(index), false)));
  for (const [field, shown, message] of deprecatedSources) {
    if (spec[field]) warnings.push(`spec.${shown}: ${message}`);
  }
  return warnings;
}
