// StorageObjectInUseProtection: volumes and claims are held by a finalizer until nothing uses them.
import type { AdmissionPlugin } from "../registry/admission.ts";

/** By the store's name of the resource. */
const finalizers: Readonly<Record<string, string>> = {
  persistentvolumeclaims: "kubernetes.io/pvc-protection",
  persistentvolumes: "kubernetes.io/pv-protection",
  "volumeattributesclasses.storage.k8s.io": "kubernetes.io/vac-protection",
};

export const storageObjectInUseProtection: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",
  mutate({ operation, kind, subresource, object }) {
    const finalizer = finalizers[kind.resource];
    if (operation !== "CREATE" || subresource !== "" || !object || !finalizer) return;
    const { metadata } = object;
    if (metadata.finalizers?.includes(finalizer)) return;
    metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
  },
};
