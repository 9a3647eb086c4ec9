// PersistentVolumeClaimResize: a claim can only grow if it is bound and its class allows expansion.
import type { PersistentVolumeClaim } from "../../shared/k8s/api/core-v1.ts";
import { compareQuantities, parseQuantity, zeroQuantity } from "../../shared/k8s/quantity.ts";
import { getPersistentVolumeClass } from "../kinds/core/persistent-volume-claim/storage-class.ts";
import { persistentVolumeClaims } from "../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { storageClasses } from "../kinds/storage/storage-class.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { newForbidden } from "./common/errors.ts";
import { writtenObject } from "./common/handled.ts";

export const persistentVolumeClaimResize: AdmissionPlugin = {
  name: "PersistentVolumeClaimResize",
  validate(request) {
    const write = writtenObject(persistentVolumeClaims, request, "UPDATE");
    if (!write?.previous) return;
    const { object: next, previous } = write;
    if (compareQuantities(sizeOf(next), sizeOf(previous)) <= 0) return;
    if (previous.status.phase !== "Bound") {
      throw newForbidden(request, "Only bound persistent volume claims can be expanded");
    }
    const name = getPersistentVolumeClass(next.metadata, next.spec.storageClassName);
    const isSame = name !== "" && name === getPersistentVolumeClass(previous.metadata, previous.spec.storageClassName);
    if (isSame && request.context.get(storageClasses, "", name)?.allowVolumeExpansion) return;
    const why =
      "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
    throw newForbidden(request, why);
  },
};

function sizeOf({ spec }: PersistentVolumeClaim) {
  return parseQuantity(spec.resources.requests?.["storage"] ?? "0") ?? zeroQuantity;
}
