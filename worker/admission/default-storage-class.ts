// DefaultStorageClass: sets the default StorageClass of a PersistentVolumeClaim that names no class.
import { storageClassAnnotation } from "../kinds/core/persistent-volume-claim/storage-class.ts";
import { persistentVolumeClaims } from "../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { isDefaultStorageClass, storageClasses } from "../kinds/storage/storage-class.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { newest } from "./common/default-class.ts";
import { writtenObject } from "./common/handled.ts";

export const defaultStorageClass: AdmissionPlugin = {
  name: "DefaultStorageClass",
  mutate(request) {
    const claim = writtenObject(persistentVolumeClaims, request, "CREATE")?.object;
    if (!claim || claim.spec.storageClassName !== undefined) return;
    if (claim.metadata.annotations?.[storageClassAnnotation] !== undefined) return;
    const defaultClasses = [...request.context.list(storageClasses)].filter(isDefaultStorageClass);
    const name = newest(defaultClasses)?.metadata.name;
    if (name !== undefined) claim.spec.storageClassName = name;
  },
};
