// Counts claims towards quotas: in total, and by storage class.
import type { PersistentVolumeClaim } from "../../../../shared/k8s/api/core-v1.ts";
import { type Quantity, compareQuantities, parseQuantity, zeroQuantity } from "../../../../shared/k8s/quantity.ts";
import { getPersistentVolumeClass } from "../persistent-volume-claim/storage-class.ts";
import { oneObject } from "./amounts.ts";
import { type Evaluator, scopeMatches } from "./evaluator.ts";

const resources = ["persistentvolumeclaims", "requests.storage"];
const ofClass = ".storageclass.storage.k8s.io/";

export const claimEvaluator: Evaluator<PersistentVolumeClaim> = {
  handles({ subresource, object, previous }) {
    if (subresource === "") return true;
    return subresource === "status" && previous !== undefined && isAffected(object, previous);
  },
  counts: (resource) =>
    resource === "count/persistentvolumeclaims" ||
    resources.includes(resource) ||
    resources.some((name) => resource.endsWith(`${ofClass}${name}`)),
  usage(claim) {
    const storage = sizeOf(claim);
    const className = getPersistentVolumeClass(claim.metadata, claim.spec.storageClassName);
    const prefixes = ["", ...(className ? [`${className}${ofClass}`] : [])];
    const amounts = new Map<string, Quantity>([["count/persistentvolumeclaims", oneObject]]);
    for (const prefix of prefixes) {
      amounts.set(`${prefix}persistentvolumeclaims`, oneObject);
      if (storage) amounts.set(`${prefix}requests.storage`, storage);
    }
    return amounts;
  },
  isAffected,
  inScope(claim, scope) {
    if (scope.scopeName !== "VolumeAttributesClass") return false;
    const names = attributesClasses(claim);
    return names.length === 0 ? scopeMatches(scope, undefined) : names.some((name) => scopeMatches(scope, name));
  },
};

function isAffected(next: PersistentVolumeClaim, previous: PersistentVolumeClaim): boolean {
  const relevant = (claim: PersistentVolumeClaim) =>
    JSON.stringify([
      claim.spec.resources.requests?.storage,
      claim.spec.storageClassName,
      claim.status.allocatedResources?.storage,
      attributesClasses(claim),
    ]);
  return relevant(next) !== relevant(previous);
}

/** Returns the requested size, or the size that a failed expansion has allocated. */
function sizeOf({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const requested = wholeBytes(spec.resources.requests?.storage);
  const allocated = wholeBytes(status.allocatedResources?.storage);
  return requested && allocated && compareQuantities(allocated, requested) > 0 ? allocated : requested;
}

function wholeBytes(text: string | undefined): Quantity | undefined {
  if (text === undefined) return undefined;
  const quantity = parseQuantity(text) ?? zeroQuantity;
  const rest = quantity.nanos % oneObject.nanos;
  return rest === 0n ? quantity : { nanos: quantity.nanos - rest + oneObject.nanos, format: quantity.format };
}

function attributesClasses({ spec, status }: PersistentVolumeClaim): string[] {
  const names = [
    spec.volumeAttributesClassName,
    status.currentVolumeAttributesClassName,
    status.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.filter((name) => name !== undefined && name !== ""))].sort() as string[];
}
