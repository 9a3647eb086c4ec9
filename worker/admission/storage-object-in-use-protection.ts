// StorageObjectInUseProtection: adds the finalizer that protects volumes and claims while they are in use.
import type { AdmissionPlugin } from "../registry/admission.ts";

/** The finalizers by resource. */
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
