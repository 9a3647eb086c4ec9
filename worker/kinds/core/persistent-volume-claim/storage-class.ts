// Reads the storage class of a volume or claim: its field, or the legacy annotation.
import type { ObjectMeta } from "../../../../shared/k8s/api/meta-v1.ts";

export const storageClassAnnotation = "volume.beta.kubernetes.io/storage-class";

/** Returns the class of a volume or a claim. */
export function getPersistentVolumeClass(metadata: ObjectMeta, storageClassName: string | undefined): string {
  return metadata.annotations?.[storageClassAnnotation] ?? storageClassName ?? "";
}
