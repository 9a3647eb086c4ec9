// The spec of PersistentVolumeClaims and of StatefulSets' templates: defaults, validation and warnings.
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  TypedObjectReference,
} from "../../../../shared/k8s/api/core-v1.ts";
import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  required,
  path,
  forbidden,
} from "../../../../shared/k8s/field.ts";
import { dns1123Label, dns1123Subdomain, qualifiedName } from "../../../../shared/k8s/names.ts";
import {
  parseQuantity,
  quantityMilliValue,
  quantityValue,
  compareQuantities,
  zeroQuantity,
} from "../../../../shared/k8s/quantity.ts";
import { each, requireNonEmpty, validateLabelSelectorValues } from "../../common/checks.ts";
import { setDefaultsResourceList } from "../pod/resource-defaults.ts";
import { validateResourceQuantity } from "../pod/validation/resources.ts";
import { validateAccessModes } from "./access-modes.ts";
import { isNativeResource } from "../pod/resources.ts";
import { linesDiff } from "../../../../shared/k8s/diff.ts";
import { semanticEqual } from "../../../../shared/k8s/equal.ts";
import { validateImmutable } from "../../../../shared/k8s/validate-meta.ts";
import { storageClassAnnotation } from "./storage-class.ts";

const resizeStatuses = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizePending",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
];

export const volumeModes = ["Block", "Filesystem"];

export function defaultClaim({ spec, status }: PersistentVolumeClaim): void {
  status.phase ??= "Pending";
  spec.volumeMode ??= "Filesystem";
  for (const list of [spec.resources.limits, spec.resources.requests, status.capacity, status.allocatedResources]) {
    setDefaultsResourceList(list);
  }
}

export function validatePersistentVolumeClaimSpec(spec: PersistentVolumeClaimSpec, at: FieldPath): FieldError[] {
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

/** Returns warnings. `at` is the path of the spec. */
export function claimSpecWarnings({ resources }: PersistentVolumeClaimSpec, at: FieldPath): string[] {
  return (["requests", "limits"] as const).flatMap((field) => {
    const value = resources[field]?.storage;
    if (value === undefined || quantityMilliValue(value) % 1000 === 0) return [];
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
  // Upstream prints a path as the value, which is an object without fields.
  if (namespace) return [...errors, invalid(at, {}, "may not be specified when dataSourceRef.namespace is specified")];
  const isSame = (["apiGroup", "kind", "name"] as const).every((field) => dataSource[field] === dataSourceRef[field]);
  return isSame ? errors : [...errors, invalid(at, {}, "must match dataSourceRef")];
}

function validateDataSource({ apiGroup = "", kind, name }: TypedObjectReference, at: FieldPath): FieldError[] {
  const errors = [...requireNonEmpty(name, at.child("name")), ...requireNonEmpty(kind, at.child("kind"))];
  if (apiGroup === "" && kind !== "PersistentVolumeClaim") {
    errors.push(invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  }
  return apiGroup ? [...errors, ...each(dns1123Subdomain(apiGroup), at.child("apiGroup"), apiGroup)] : errors;
}

export function validateClaimStatus({ spec, status }: PersistentVolumeClaim): FieldError[] {
  const errors: FieldError[] = [];
  if (!spec.accessModes?.length) errors.push(required(path("Spec", "accessModes")));
  const capacityAt = path("status", "capacity");
  for (const [name, text] of Object.entries(status.capacity ?? {})) {
    errors.push(...validateBasicResource(text, capacityAt.key(name)));
  }
  const statusesAt = path("status", "allocatedResourceStatuses");
  for (const [name, value] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    errors.push(...validateResourceKey(name, statusesAt));
    // Upstream prints the key here, not the value.
    if (!resizeStatuses.includes(value)) errors.push(notSupported(statusesAt, name, resizeStatuses));
  }
  const allocatedAt = path("status", "allocatedResources");
  for (const [name, text] of Object.entries(status.allocatedResources ?? {})) {
    const wrong = validateResourceKey(name, allocatedAt);
    if (wrong.length === 0) wrong.push(...validateBasicResource(text, allocatedAt.key(name)));
    if (wrong.length === 0) wrong.push(...validateResourceQuantity("storage", text, allocatedAt.key(name)));
    errors.push(...wrong);
  }
  return errors;
}

export function validateBasicResource(text: string, at: FieldPath): FieldError[] {
  const value = quantityValue(text);
  return value < 0 ? [invalid(at, value, "must be a valid resource quantity")] : [];
}

function validateResourceKey(name: string, at: FieldPath): FieldError[] {
  const wrong = each(qualifiedName(name), at, name);
  if (wrong.length > 0 || !isNativeResource(name) || name === "storage") return wrong;
  return [notSupported(at, name, ["storage"])];
}

export function validateClaimUpdate(next: PersistentVolumeClaim, previous: PersistentVolumeClaim): FieldError[] {
  const classOf = ({ metadata }: PersistentVolumeClaim) => metadata.annotations?.[storageClassAnnotation];
  const errors: FieldError[] = [];
  if (!isUpgradeFromAnnotation(next, previous) && (classOf(next) ?? "") !== (classOf(previous) ?? "")) {
    const where = path("metadata", "annotations", storageClassAnnotation);
    errors.push(invalid(where, classOf(next) ?? "", "field is immutable"));
  }
  const [nextSpec, old] = comparable(next, previous);
  if (!semanticEqual(nextSpec, old)) {
    const rule = "spec is immutable after creation except resources.requests and volumeAttributesClassName";
    const difference = linesDiff(internalText(old), internalText(nextSpec));
    errors.push(forbidden(path("spec"), `${rule} for bound claims\n${difference}`));
  }
  return [
    ...errors,
    ...validateSize(next, previous),
    ...validateImmutable(next.spec.volumeMode, previous.spec.volumeMode, path("volumeMode")),
    ...validateAttributesClass(next, previous),
  ];
}

/** Returns both specs with mutable fields made equal. */
function comparable(
  next: PersistentVolumeClaim,
  previous: PersistentVolumeClaim,
): [PersistentVolumeClaimSpec, PersistentVolumeClaimSpec] {
  const nextSpec = structuredClone(next.spec);
  const old = structuredClone(previous.spec);
  if (!old.volumeName && nextSpec.volumeName) old.volumeName = nextSpec.volumeName;
  if (isUpgradeFromAnnotation(next, previous)) delete nextSpec.storageClassName;
  else if (isUpgradeFromNothing(next, previous)) delete nextSpec.storageClassName;
  if (next.status.phase !== "Bound") return [nextSpec, old];
  const { requests } = nextSpec.resources;
  if (requests) requests.storage = old.resources.requests?.storage ?? "0";
  delete nextSpec.volumeAttributesClassName;
  if (old.volumeAttributesClassName !== undefined) nextSpec.volumeAttributesClassName = old.volumeAttributesClassName;
  return [nextSpec, old];
}

/** Reports whether the class moved from the legacy annotation to the field unchanged. */
function isUpgradeFromAnnotation(next: PersistentVolumeClaim, previous: PersistentVolumeClaim): boolean {
  const old = previous.metadata.annotations?.[storageClassAnnotation];
  const previousClass = next.metadata.annotations?.[storageClassAnnotation] ?? old;
  const isSet = previous.spec.storageClassName === undefined && next.spec.storageClassName === old;
  return old !== undefined && isSet && previousClass === old;
}

function isUpgradeFromNothing({ spec }: PersistentVolumeClaim, previous: PersistentVolumeClaim): boolean {
  const old = previous.metadata.annotations?.[storageClassAnnotation] ?? spec.storageClassName;
  const { storageClassName } = spec;
  return storageClassName !== undefined && previous.spec.storageClassName === undefined && storageClassName === old;
}

/** Validates a size change. A claim may request less than before, but not less than its capacity. */
function validateSize(next: PersistentVolumeClaim, previous: PersistentVolumeClaim): FieldError[] {
  const sizeOf = (list: Record<string, string> | undefined) => parseQuantity(list?.storage ?? "0") ?? zeroQuantity;
  const size = sizeOf(next.spec.resources.requests);
  if (compareQuantities(size, sizeOf(previous.spec.resources.requests)) >= 0) return [];
  if (compareQuantities(size, sizeOf(previous.status.capacity)) > 0) return [];
  const where = path("spec", "resources", "requests", "storage");
  return [forbidden(where, "field can not be less than status.capacity")];
}

function validateAttributesClass(next: PersistentVolumeClaim, previous: PersistentVolumeClaim): FieldError[] {
  const name = next.spec.volumeAttributesClassName;
  if (name === previous.spec.volumeAttributesClassName || name) return [];
  if (previous.status.currentVolumeAttributesClassName === undefined) return [];
  const what = name === undefined ? "nil" : "empty string";
  const why = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  return [forbidden(path("spec", "volumeAttributesClassName"), why)];
}

/** Prints upstream's internal form, whose fields have no JSON names and are never omitted. */
function internalText(spec: PersistentVolumeClaimSpec): string {
  const { dataSource: from, dataSourceRef: ref } = spec;
  const internal = {
    AccessModes: spec.accessModes ?? null,
    Selector: spec.selector ?? null,
    Resources: { Limits: spec.resources.limits ?? null, Requests: spec.resources.requests ?? null },
    VolumeName: spec.volumeName ?? "",
    StorageClassName: spec.storageClassName ?? null,
    VolumeMode: spec.volumeMode ?? null,
    DataSource: from ? { APIGroup: from.apiGroup ?? null, Kind: from.kind, Name: from.name } : null,
    DataSourceRef: ref
      ? { APIGroup: ref.apiGroup ?? null, Kind: ref.kind, Name: ref.name, Namespace: ref.namespace ?? null }
      : null,
    VolumeAttributesClassName: spec.volumeAttributesClassName ?? null,
  };
  return JSON.stringify(internal, null, 1);
}
