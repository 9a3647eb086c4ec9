// The storage class of a volume or claim: its field, or the annotation of old.
import type { ObjectMeta } from "../../../../shared/k8s/api/meta-v1.ts";

export const storageClassAnnotation = "volume.beta.kubernetes.io/storage-class";

/** Of volumes and of claims. */
export function getPersistentVolumeClass(metadata: ObjectMeta, storageClassName: string | undefined): string {
  return metadata.annotations?.[storageClassAnnotation] ?? storageClassName ?? "";
}
