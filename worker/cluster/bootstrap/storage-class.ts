// The default storage class, as kind installs it: directories on the node that a pod was placed on.
import { localProvisioner } from "../../controllers/volume/volume-provisioner.ts";
import { storageClasses } from "../../kinds/storage/storage-class.ts";
import { type Seed, seed } from "./seed.ts";

export function defaultStorageClass(): Seed {
  return seed(storageClasses, {
    metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: localProvisioner,
    reclaimPolicy: "Delete",
    volumeBindingMode: "WaitForFirstConsumer",
  });
}
