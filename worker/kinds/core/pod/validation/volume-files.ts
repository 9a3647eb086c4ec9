// Validates volumes with files of API objects: secrets, config maps, downward API, and their projections.
import type {
  ClusterTrustBundleProjection,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from "../../../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, forbidden, invalid, required } from "../../../../../shared/k8s/field.ts";
import { validateLabelSelector } from "../../../../../shared/k8s/validate-meta.ts";
import { requireNonEmpty } from "../../../common/checks.ts";
import { validateFieldReference, validateResourceReference } from "./env.ts";
import { fileMode, localUnreservedPath } from "./paths.ts";

const volumeFields = ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];

export function validateKeyedFiles(
  { defaultMode, items = [] }: { defaultMode?: number; items?: KeyToPath[] },
  path: FieldPath,
): FieldError[] {
  return [...fileMode(defaultMode, path.child("defaultMode")), ...validateItems(items, path.child("items"))];
}

export function validateDownwardApi(
  { defaultMode, items = [] }: DownwardAPIVolumeSource,
  path: FieldPath,
): FieldError[] {
  return [...fileMode(defaultMode, path.child("defaultMode")), ...items.flatMap((file) => validateFile(file, path))];
}

export function validateProjected({ defaultMode, sources = [] }: ProjectedVolumeSource, path: FieldPath): FieldError[] {
  const errors = fileMode(defaultMode, path.child("defaultMode"));
  const claimedPaths = new Set<string>();
  // Upstream reports a path conflict at the projection. The value in the error is the name of the Secret or ConfigMap, else the path.
  const claimPaths = (files: readonly string[], valueInError?: string) => {
    for (const file of files.filter(Boolean)) {
      if (claimedPaths.has(file)) errors.push(invalid(path, valueInError ?? file, "conflicting duplicate paths"));
      claimedPaths.add(file);
    }
  };
  for (const [index, source] of sources.entries()) {
    const at = path.child("sources").index(index);
    errors.push(...validateProjection(source, at, path));
    claimPaths(
      (source.secret?.items ?? []).map((item) => item.path),
      source.secret?.name ?? "",
    );
    claimPaths(
      (source.configMap?.items ?? []).map((item) => item.path),
      source.configMap?.name ?? "",
    );
    claimPaths((source.downwardAPI?.items ?? []).map((item) => item.path));
    // As upstream, the path of a service account token may be that of another file.
    if (source.clusterTrustBundle) claimPaths([source.clusterTrustBundle.path]);
    if (Object.keys(source).length > 1) {
      errors.push(forbidden(at, "may not specify more than 1 volume type per source"));
    }
  }
  return errors;
}

function validateProjection(source: VolumeProjection, at: FieldPath, projected: FieldPath): FieldError[] {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  const errors: FieldError[] = [];
  for (const [field, keyed] of [
    ["secret", secret],
    ["configMap", configMap],
  ] as const) {
    if (!keyed) continue;
    errors.push(...requireNonEmpty(keyed.name, at.child(field, "name")));
    errors.push(...validateItems(keyed.items ?? [], at.child(field, "items")));
  }
  for (const file of downwardAPI?.items ?? []) errors.push(...validateFile(file, at.child("downwardAPI")));
  if (serviceAccountToken) {
    errors.push(...validateToken(serviceAccountToken, at.child("serviceAccountToken"), projected));
  }
  if (clusterTrustBundle) errors.push(...validateTrustBundle(clusterTrustBundle, at.child("clusterTrustBundle")));
  if (podCertificate) {
    errors.push(...requireNonEmpty(podCertificate.signerName, at.child("podCertificate", "signerName")));
    errors.push(...requireNonEmpty(podCertificate.keyType, at.child("podCertificate", "keyType")));
  }
  return errors;
}

function validateItems(items: readonly KeyToPath[], path: FieldPath): FieldError[] {
  return items.flatMap((item, index) => {
    const at = path.index(index);
    return [
      ...requireNonEmpty(item.key, at.child("key")),
      ...requireNonEmpty(item.path, at.child("path")),
      ...localUnreservedPath(item.path, at.child("path")),
      ...fileMode(item.mode, at.child("mode")),
    ];
  });
}

/** Validates a file of the downward API. As upstream, `path` is the path of the source, without the index of the file. */
function validateFile(file: DownwardAPIVolumeFile, path: FieldPath): FieldError[] {
  const errors = [
    ...requireNonEmpty(file.path, path.child("path")),
    ...localUnreservedPath(file.path, path.child("path")),
  ];
  const { fieldRef, resourceFieldRef } = file;
  if (fieldRef) errors.push(...validateFieldReference(fieldRef, volumeFields, path.child("fieldRef")));
  if (fieldRef && resourceFieldRef) {
    errors.push(invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
  }
  if (!fieldRef && resourceFieldRef) {
    errors.push(
      ...validateResourceReference(resourceFieldRef, { isContainerRequired: true }, path.child("resourceFieldRef")),
    );
  }
  if (!fieldRef && !resourceFieldRef) errors.push(required(path, "one of fieldRef and resourceFieldRef is required"));
  return [...errors, ...fileMode(file.mode, path.child("mode"))];
}

/** Validates a token source. As upstream, errors of its path are reported at the volume source `projected`. */
function validateToken(token: ServiceAccountTokenProjection, at: FieldPath, projected: FieldPath): FieldError[] {
  const { expirationSeconds = 0, path } = token;
  const errors: FieldError[] = [];
  const expiration = at.child("expirationSeconds");
  if (expirationSeconds < 600) {
    errors.push(invalid(expiration, expirationSeconds, "may not specify a duration less than 10 minutes"));
  }
  if (expirationSeconds > 2 ** 32) {
    errors.push(invalid(expiration, expirationSeconds, "may not specify a duration larger than 2^32 seconds"));
  }
  const pathAt = projected.child("path");
  return [...errors, ...(path ? localUnreservedPath(path, pathAt) : [required(pathAt)])];
}

function validateTrustBundle(bundle: ClusterTrustBundleProjection, path: FieldPath): FieldError[] {
  const { name, signerName, labelSelector } = bundle;
  const errors: FieldError[] = [];
  if (name !== undefined && signerName !== undefined) {
    errors.push(invalid(path, bundle, "only one of name and signerName may be used"));
  } else if (name !== undefined) {
    errors.push(...requireNonEmpty(name, path.child("name"), "must be a valid object name"));
    if (labelSelector) {
      const detail = "labelSelector must be unset if name is specified";
      errors.push(invalid(path.child("labelSelector"), labelSelector, detail));
    }
  } else if (signerName !== undefined) {
    errors.push(...requireNonEmpty(signerName, path.child("signerName"), "must be a valid signer name"));
    errors.push(...validateLabelSelector(labelSelector, path.child("labelSelector")));
  } else {
    errors.push(required(path, "either name or signerName must be specified"));
  }
  return [
    ...errors,
    ...requireNonEmpty(bundle.path, path.child("path")),
    ...localUnreservedPath(bundle.path, path.child("path")),
  ];
}
