// The spec of a PersistentVolumeClaim, which StatefulSets have templates of: defaults, rules and warnings.
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  TypedObjectReference,
} from "../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, invalid, notSupported, required } from "../../../shared/k8s/field.ts";
import { dns1123Label, dns1123Subdomain } from "../../../shared/k8s/names.ts";
import { parseQuantity, quantityMilli } from "../../../shared/k8s/quantity.ts";
import { each, needs, validateLabelSelectorValues } from "../pods/checks.ts";
import { roundUpToMilli } from "../pods/default-resources.ts";
import { validateResourceQuantity } from "../pods/validate-resources.ts";
import { validateAccessModes } from "./access-modes.ts";

export const volumeModes = ["Block", "Filesystem"];

export function defaultClaim({ spec, status }: PersistentVolumeClaim): void {
  status.phase ??= "Pending";
  spec.volumeMode ??= "Filesystem";
  for (const list of [spec.resources.limits, spec.resources.requests, status.capacity, status.allocatedResources]) {
    roundUpToMilli(list);
  }
}

/** Upstream's `ValidatePersistentVolumeClaimSpec`. */
export function validateClaimSpec(spec: PersistentVolumeClaimSpec, at: FieldPath): FieldError[] {
  const { accessModes = [], storageClassName, volumeMode, volumeAttributesClassName } = spec;
  const errors: FieldError[] = [];
  if (accessModes.length === 0) errors.push(required(at.child("accessModes"), "at least 1 access mode is required"));
  errors.push(...validateLabelSelectorValues(spec.selector, at.child("selector")));
  errors.push(...validateAccessModes(accessModes, at.child("accessModes")));
  errors.push(...validateStorage(spec.resources.requests?.storage, at.child("resources").key("storage")));
  if (storageClassName) {
    errors.push(...each(dns1123Subdomain(storageClassName), at.child("storageClassName"), storageClassName));
  }
  if (volumeMode !== undefined && !volumeModes.includes(volumeMode)) {
    errors.push(notSupported(at.child("volumeMode"), volumeMode, volumeModes));
  }
  errors.push(...validateDataSources(spec, at));
  if (volumeAttributesClassName) {
    const where = at.child("volumeAttributesClassName");
    errors.push(...each(dns1123Subdomain(volumeAttributesClassName), where, volumeAttributesClassName));
  }
  return errors;
}

/** `at` is the spec's path. */
export function claimSpecWarnings({ resources }: PersistentVolumeClaimSpec, at: FieldPath): string[] {
  return (["requests", "limits"] as const).flatMap((field) => {
    const value = resources[field]?.storage;
    if (value === undefined || quantityMilli(value) % 1000 === 0) return [];
    const where = at.child("resources", field).key("storage");
    return [`${where}: fractional byte value ${JSON.stringify(value)} is invalid, must be an integer`];
  });
}

function validateStorage(storage: string | undefined, at: FieldPath): FieldError[] {
  if (storage === undefined) return [required(at)];
  if ((parseQuantity(storage)?.nanos ?? 0n) <= 0n) return [invalid(at, storage, "must be greater than zero")];
  return validateResourceQuantity("storage", storage, at);
}

function validateDataSources({ dataSource, dataSourceRef }: PersistentVolumeClaimSpec, at: FieldPath): FieldError[] {
  const errors = [
    ...(dataSource ? validateDataSource(dataSource, at.child("dataSource")) : []),
    ...(dataSourceRef ? validateDataSource(dataSourceRef, at.child("dataSourceRef")) : []),
  ];
  const namespace = dataSourceRef?.namespace;
  if (namespace) {
    errors.push(...each(dns1123Label(namespace), at.child("dataSourceRef", "namespace"), namespace));
  }
  if (!dataSource || !dataSourceRef) return errors;
  // Upstream prints a path as the value: an object without members.
  if (namespace) return [...errors, invalid(at, {}, "may not be specified when dataSourceRef.namespace is specified")];
  const isSame = (["apiGroup", "kind", "name"] as const).every((field) => dataSource[field] === dataSourceRef[field]);
  return isSame ? errors : [...errors, invalid(at, {}, "must match dataSourceRef")];
}

function validateDataSource({ apiGroup = "", kind, name }: TypedObjectReference, at: FieldPath): FieldError[] {
  const errors = [...needs(name, at.child("name")), ...needs(kind, at.child("kind"))];
  if (apiGroup === "" && kind !== "PersistentVolumeClaim") {
    errors.push(invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  }
  return apiGroup ? [...errors, ...each(dns1123Subdomain(apiGroup), at.child("apiGroup"), apiGroup)] : errors;
}
