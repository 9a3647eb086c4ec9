// Validates paths and file modes in pods.
import { type FieldError, type FieldPath, invalid } from "../../../../../shared/k8s/field.ts";

/** Validates a relative path without `..`. */
export function localDescendingPath(target: string, path: FieldPath): FieldError[] {
  const absolute = target.startsWith("/") ? [invalid(path, target, "must be a relative path")] : [];
  return [...absolute, ...pathWithoutBacksteps(target, path)];
}

export function pathWithoutBacksteps(target: string, path: FieldPath): FieldError[] {
  return target.split("/").includes("..") ? [invalid(path, target, "must not contain '..'")] : [];
}

/** Validates a path that does not start with two dots, which the kubelet reserves. */
export function localUnreservedPath(target: string, path: FieldPath): FieldError[] {
  const isReserved = target.startsWith("..") && !target.startsWith("../");
  return [
    ...localDescendingPath(target, path),
    ...(isReserved ? [invalid(path, target, "must not start with '..'")] : []),
  ];
}

export function fileMode(mode: number | undefined, path: FieldPath): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive")];
}
