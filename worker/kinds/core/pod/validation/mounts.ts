// Validates the mounts and devices of a container against the pod's volumes.
import type {
  Container,
  EphemeralContainer,
  Volume,
  VolumeDevice,
  VolumeMount,
} from "../../../../../shared/k8s/api/core-v1.ts";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notFound,
  required,
} from "../../../../../shared/k8s/field.ts";
import { requireNonEmpty, oneOf } from "../../../common/checks.ts";
import { localDescendingPath, pathWithoutBacksteps } from "./paths.ts";
import { repeatsOf } from "../../../../../shared/k8s/repeats.ts";

type Volumes = ReadonlyMap<string, Volume>;

export function validateMounts(
  container: Container | EphemeralContainer,
  volumes: Volumes,
  path: FieldPath,
): FieldError[] {
  const { volumeMounts: mounts = [], volumeDevices: devices = [] } = container;
  const repeats = repeatsOf(mounts, ({ mountPath }) => mountPath);
  const deviceNames = new Set(devices.map(({ name }) => name));
  const devicePaths = new Set(devices.map(({ devicePath }) => devicePath));
  return mounts.flatMap((mount, index) => {
    const at = path.index(index);
    const { name, mountPath } = mount;
    const errors = requireNonEmpty(name, at.child("name"));
    if (!volumes.has(name)) errors.push(notFound(at.child("name"), name));
    errors.push(...requireNonEmpty(mountPath, at.child("mountPath")));
    if (repeats[index]) {
      errors.push(invalid(at.child("mountPath"), mountPath, "must be unique"));
    }
    if (deviceNames.has(name)) {
      errors.push(invalid(at.child("name"), name, "must not already exist in volumeDevices"));
    }
    if (devicePaths.has(mountPath)) {
      errors.push(invalid(at.child("mountPath"), mountPath, "must not already exist as a path in volumeDevices"));
    }
    errors.push(...validateSubPaths(mount, at, path));
    errors.push(...validatePropagation(mount, container, path.child("mountPropagation")));
    errors.push(...validateRecursiveReadOnly(mount, path.child("recursiveReadOnly")));
    return errors;
  });
}

export function validateDevices(
  container: Container | EphemeralContainer,
  volumes: Volumes,
  path: FieldPath,
): FieldError[] {
  const { volumeMounts: mounts = [], volumeDevices: devices = [] } = container;
  const repeatedNames = repeatsOf(devices, ({ name }) => name);
  const repeatedPaths = repeatsOf(devices, ({ devicePath }) => devicePath);
  const mountNames = new Set(mounts.map(({ name }) => name));
  const mountPaths = new Set(mounts.map(({ mountPath }) => mountPath));
  return devices.flatMap((device, index) => {
    const at = path.index(index);
    const { name, devicePath } = device;
    const errors = requireNonEmpty(name, at.child("name"));
    if (name && repeatedNames[index]) errors.push(invalid(at.child("name"), name, "must be unique"));
    errors.push(...validateDeviceVolume(device, volumes, at.child("name")));
    if (!devicePath) errors.push(required(at.child("devicePath")));
    if (repeatedPaths[index]) {
      errors.push(invalid(at.child("devicePath"), devicePath, "must be unique"));
    }
    if (pathWithoutBacksteps(devicePath, at).length > 0) {
      errors.push(invalid(at.child("devicePath"), devicePath, "can not contain backsteps ('..')"));
    }
    if (mountNames.has(name)) {
      errors.push(invalid(at.child("name"), name, "must not already exist in volumeMounts"));
    }
    if (mountPaths.has(devicePath)) {
      errors.push(invalid(at.child("devicePath"), devicePath, "must not already exist as a path in volumeMounts"));
    }
    return errors;
  });
}

function validateDeviceVolume({ name }: VolumeDevice, volumes: Volumes, path: FieldPath): FieldError[] {
  const volume = volumes.get(name);
  if (!volume) return [notFound(path, name)];
  if (volume.persistentVolumeClaim || volume.ephemeral) return [];
  const detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
  return [invalid(path, name, detail)];
}

/** Validates sub-paths. Upstream reports their errors at the list, not at the mount. */
function validateSubPaths({ subPath, subPathExpr }: VolumeMount, at: FieldPath, list: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (subPath) errors.push(...localDescendingPath(subPath, list.child("subPath")));
  if (subPathExpr && subPath) {
    errors.push(invalid(at.child("subPathExpr"), subPathExpr, "subPathExpr and subPath are mutually exclusive"));
  }
  if (subPathExpr) errors.push(...localDescendingPath(subPathExpr, list.child("subPathExpr")));
  return errors;
}

function validatePropagation(
  { mountPropagation }: VolumeMount,
  { securityContext }: Container | EphemeralContainer,
  path: FieldPath,
): FieldError[] {
  if (mountPropagation === undefined) return [];
  const errors = oneOf(mountPropagation, path, ["Bidirectional", "HostToContainer", "None"]);
  if (mountPropagation === "Bidirectional" && !securityContext?.privileged) {
    errors.push(forbidden(path, "Bidirectional mount propagation is available only to privileged containers"));
  }
  return errors;
}

function validateRecursiveReadOnly(mount: VolumeMount, path: FieldPath): FieldError[] {
  const { recursiveReadOnly, readOnly, mountPropagation = "None" } = mount;
  if (recursiveReadOnly === undefined || recursiveReadOnly === "Disabled") return [];
  const unknown = oneOf(recursiveReadOnly, path, ["Disabled", "Enabled", "IfPossible"]);
  if (unknown.length > 0) return unknown;
  const errors: FieldError[] = [];
  if (!readOnly) errors.push(forbidden(path, "may only be specified when readOnly is true"));
  if (mountPropagation !== "None") {
    errors.push(forbidden(path, "may only be specified when mountPropagation is None or not specified"));
  }
  return errors;
}
