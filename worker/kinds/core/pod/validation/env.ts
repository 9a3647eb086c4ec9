// Validates environment variables with the fields and resources that they reference.
import type {
  EnvFromSource,
  EnvVar,
  FileKeySelector,
  ObjectFieldSelector,
  PodSpec,
  ResourceFieldSelector,
} from "../../../../../shared/k8s/api/core-v1.ts";
import {
  type FieldError,
  type FieldPath,
  invalid,
  notFound,
  notSupported,
  required,
} from "../../../../../shared/k8s/field.ts";
import {
  configMapKey,
  dns1123Label,
  dns1123Subdomain,
  envVarName,
  maskTrailingDash,
  qualifiedName,
} from "../../../../../shared/k8s/names.ts";
import { formatQuantity, parseQuantity } from "../../../../../shared/k8s/quantity.ts";
import { containersWithPaths, each, requireNonEmpty } from "../../../common/checks.ts";
import { pathWithoutBacksteps } from "./paths.ts";

const envFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
/** The known field paths, whose allowed places are checked later. */
const knownFields = [
  ...envFields,
  "metadata.annotations",
  "metadata.labels",
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
];
const containerResources = ["cpu", "memory", "ephemeral-storage"].flatMap((name) => [
  `limits.${name}`,
  `requests.${name}`,
]);
const byteDivisors = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";

export function validateEnv(variables: readonly EnvVar[], path: FieldPath): FieldError[] {
  return variables.flatMap((variable, index) => {
    const at = path.index(index);
    const name = variable.name ? each(envVarName(variable.name), at.child("name"), variable.name) : [];
    return [
      ...requireNonEmpty(variable.name, at.child("name")),
      ...name,
      ...validateValueFrom(variable, at.child("valueFrom")),
    ];
  });
}

export function validateEnvFrom(sources: readonly EnvFromSource[], path: FieldPath): FieldError[] {
  return sources.flatMap(({ prefix, configMapRef, secretRef }, index) => {
    const at = path.index(index);
    const errors = prefix ? each(envVarName(prefix), at.child("prefix"), prefix) : [];
    if (configMapRef) errors.push(...validateReference(configMapRef.name, at.child("configMapRef")));
    if (secretRef) errors.push(...validateReference(secretRef.name, at.child("secretRef")));
    if (!configMapRef && !secretRef) {
      errors.push(invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"));
    }
    if (configMapRef && secretRef) {
      errors.push(invalid(path, "", "may not have more than one field specified at a time"));
    }
    return errors;
  });
}

/** Validates a reference to a field of the pod. `allowed` are the paths that are valid here. */
export function validateFieldReference(
  { apiVersion, fieldPath }: ObjectFieldSelector,
  allowed: readonly string[],
  path: FieldPath,
): FieldError[] {
  if (!apiVersion) return [required(path.child("apiVersion"))];
  if (!fieldPath) return [required(path.child("fieldPath"))];
  const at = path.child("fieldPath");
  const subscripted = /^(.*)\['(.*)'\]$/.exec(fieldPath);
  const name = subscripted?.[1] ?? fieldPath;
  const knownPaths = subscripted ? ["metadata.annotations", "metadata.labels"] : knownFields;
  if (apiVersion !== "v1") {
    return [invalid(at, fieldPath, `error converting fieldPath: unsupported pod version: ${apiVersion}`)];
  }
  if (!knownPaths.includes(name)) {
    const why = subscripted ? "field label does not support subscript" : "field label not supported";
    return [invalid(at, fieldPath, `error converting fieldPath: ${why}: ${fieldPath}`)];
  }
  if (!subscripted) return allowed.includes(fieldPath) ? [] : [notSupported(at, fieldPath, allowed)];
  const key = subscripted[2] ?? "";
  return each(qualifiedName(name === "metadata.annotations" ? key.toLowerCase() : key), path, key);
}

/** Validates a reference to a container's resource. In a volume, the container name is required. */
/** Validates a reference to a resource of a container. In a volume it has to name the container, which a variable belongs to. */
export function validateResourceReference(
  { containerName, resource, divisor }: ResourceFieldSelector,
  { isContainerRequired }: { readonly isContainerRequired: boolean },
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (isContainerRequired && !containerName) errors.push(required(path.child("containerName")));
  else if (!resource) errors.push(required(path.child("resource")));
  else if (!containerResources.includes(resource) && !isHugePagesReference(resource)) {
    errors.push(notSupported(path.child("resource"), resource, containerResources));
  }
  return [...errors, ...validateDivisor(resource, divisor, path.child("divisor"))];
}

function validateValueFrom({ value, valueFrom }: EnvVar, path: FieldPath): FieldError[] {
  if (!valueFrom) return [];
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  const errors: FieldError[] = [];
  if (fieldRef) errors.push(...validateFieldReference(fieldRef, envFields, path.child("fieldRef")));
  if (resourceFieldRef) {
    errors.push(
      ...validateResourceReference(resourceFieldRef, { isContainerRequired: false }, path.child("resourceFieldRef")),
    );
  }
  if (configMapKeyRef) errors.push(...validateKeyReference(configMapKeyRef, path.child("configMapKeyRef")));
  if (secretKeyRef) errors.push(...validateKeyReference(secretKeyRef, path.child("secretKeyRef")));
  if (fileKeyRef) errors.push(...validateFileReference(fileKeyRef, path.child("fileKeyRef")));
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(Boolean).length;
  if (sources === 0) {
    const detail =
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
    errors.push(invalid(path, "", detail));
  } else if (value) {
    errors.push(invalid(path, "", "may not be specified when `value` is not empty"));
  } else if (sources > 1) {
    errors.push(invalid(path, "", "may not have more than one field specified at a time"));
  }
  return errors;
}

function validateKeyReference({ name = "", key }: { name?: string; key: string }, path: FieldPath): FieldError[] {
  return [
    ...each(dns1123Subdomain(name), path.child("name"), name),
    ...(key ? each(configMapKey(key), path.child("key"), key) : [required(path.child("key"))]),
  ];
}

function validateFileReference({ volumeName, path: file, key }: FileKeySelector, path: FieldPath): FieldError[] {
  const volumeAt = path.child("volumeName");
  return [
    ...(key ? each(envVarName(key), path.child("key"), key) : [required(path.child("key"))]),
    ...(volumeName ? each(dns1123Label(volumeName), volumeAt, volumeName) : [required(volumeAt)]),
    ...(file ? pathWithoutBacksteps(file, path.child("path")) : [required(path.child("path"))]),
  ];
}

/** Validates the volumes of `fileKeyRef`, which must be emptyDir volumes of the pod. */
export function validateFileVolumes(spec: PodSpec, path: FieldPath): FieldError[] {
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  return containersWithPaths(spec, path).flatMap(({ container, at }) =>
    (container.env ?? []).flatMap(({ valueFrom }, index) => {
      if (!valueFrom?.fileKeyRef) return [];
      const { volumeName } = valueFrom.fileKeyRef;
      const where = at.child("env").index(index).child("valueFrom", "fileKeyRef", "volumeName");
      const volume = volumes.get(volumeName);
      if (!volume) return [notFound(where, volumeName)];
      return volume.emptyDir ? [] : [invalid(where, volumeName, "referenced volume must be of type emptyDir")];
    }),
  );
}

function validateReference(name: string | undefined, path: FieldPath): FieldError[] {
  if (!name) return [required(path.child("name"))];
  return each(dns1123Subdomain(maskTrailingDash(name)), path.child("name"), name);
}

function isHugePagesReference(resource: string): boolean {
  return resource.startsWith("requests.hugepages-") || resource.startsWith("limits.hugepages-");
}

function validateDivisor(resource: string, divisor: string | undefined, path: FieldPath): FieldError[] {
  const quantity = parseQuantity(divisor ?? "0");
  if (!quantity || quantity.nanos === 0n) return [];
  const [noun, allowed] = resource.endsWith(".cpu") ? ["cpu", "1m and 1"] : [byteNoun(resource), byteDivisors];
  const values = allowed.split(/, | and /);
  if (!noun || values.includes(formatQuantity(quantity))) return [];
  return [invalid(path, resource, `only divisor's values ${allowed} are supported with the ${noun} resource`)];
}

function byteNoun(resource: string): string {
  if (resource.endsWith(".memory")) return "memory";
  if (resource.endsWith(".ephemeral-storage")) return "local ephemeral storage";
  return isHugePagesReference(resource) ? "hugepages" : "";
}
