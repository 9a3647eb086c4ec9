// What an update may change of a claim: upstream's `ValidatePersistentVolumeClaimUpdate`, beside the rules of the new spec.
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "../../../shared/k8s/api/core-v1.ts";
import { linesDiff } from "../../../shared/k8s/diff.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, forbidden, invalid, path } from "../../../shared/k8s/field.ts";
import { compareQuantities, parseQuantity, zeroQuantity } from "../../../shared/k8s/quantity.ts";
import { validateImmutable } from "../../../shared/k8s/validate-meta.ts";
import { storageClassAnnotation } from "./storage-class.ts";

export function validateClaimUpdate(next: PersistentVolumeClaim, previous: PersistentVolumeClaim): FieldError[] {
  const classOf = ({ metadata }: PersistentVolumeClaim) => metadata.annotations?.[storageClassAnnotation];
  const errors: FieldError[] = [];
  if (!isUpgradeFromAnnotation(next, previous) && (classOf(next) ?? "") !== (classOf(previous) ?? "")) {
    const where = path("metadata", "annotations", storageClassAnnotation);
    errors.push(invalid(where, classOf(next) ?? "", "field is immutable"));
  }
  const [given, old] = comparable(next, previous);
  if (!semanticEqual(given, old)) {
    const rule = "spec is immutable after creation except resources.requests and volumeAttributesClassName";
    const difference = linesDiff(internalText(old), internalText(given));
    errors.push(forbidden(path("spec"), `${rule} for bound claims\n${difference}`));
  }
  return [
    ...errors,
    ...validateSize(next, previous),
    ...validateImmutable(next.spec.volumeMode, previous.spec.volumeMode, path("volumeMode")),
    ...validateAttributesClass(next, previous),
  ];
}

/** Both specs with what may differ made equal. */
function comparable(
  next: PersistentVolumeClaim,
  previous: PersistentVolumeClaim,
): [PersistentVolumeClaimSpec, PersistentVolumeClaimSpec] {
  const given = structuredClone(next.spec);
  const old = structuredClone(previous.spec);
  if (!old.volumeName && given.volumeName) old.volumeName = given.volumeName;
  if (isUpgradeFromAnnotation(next, previous)) delete given.storageClassName;
  else if (isUpgradeFromNothing(next, previous)) delete given.storageClassName;
  if (next.status.phase !== "Bound") return [given, old];
  const { requests } = given.resources;
  if (requests) requests.storage = old.resources.requests?.storage ?? "0";
  delete given.volumeAttributesClassName;
  if (old.volumeAttributesClassName !== undefined) given.volumeAttributesClassName = old.volumeAttributesClassName;
  return [given, old];
}

/** From the annotation of old to the field, with the same class. */
function isUpgradeFromAnnotation(next: PersistentVolumeClaim, previous: PersistentVolumeClaim): boolean {
  const old = previous.metadata.annotations?.[storageClassAnnotation];
  const kept = next.metadata.annotations?.[storageClassAnnotation] ?? old;
  const isSet = previous.spec.storageClassName === undefined && next.spec.storageClassName === old;
  return old !== undefined && isSet && kept === old;
}

function isUpgradeFromNothing({ spec }: PersistentVolumeClaim, previous: PersistentVolumeClaim): boolean {
  const old = previous.metadata.annotations?.[storageClassAnnotation] ?? spec.storageClassName;
  const { storageClassName } = spec;
  return storageClassName !== undefined && previous.spec.storageClassName === undefined && storageClassName === old;
}

/** A claim may ask for less than before, but not for less than there is already. */
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

/** Upstream shows its internal form, whose fields have no JSON names and are never left out. */
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
