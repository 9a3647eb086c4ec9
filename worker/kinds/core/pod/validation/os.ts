// Validates that a pod with an operating system does not set fields of the other one.
import type { PodSpec } from "../../../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, forbidden, notSupported, required } from "../../../../../shared/k8s/field.ts";
import { containersWithPaths } from "../../../common/checks.ts";

const podContextFields = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
] as const;
const containerContextFields = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
] as const;

export function validateOs(spec: PodSpec, path: FieldPath): FieldError[] {
  const { os } = spec;
  if (!os) return [];
  if (!os.name) return [required(path.child("os", "name"))];
  if (os.name === "linux") return validateLinux(spec, path);
  if (os.name === "windows") return validateWindows(spec, path);
  return [notSupported(path.child("os"), os.name, ["linux", "windows"])];
}

function validateLinux(spec: PodSpec, path: FieldPath): FieldError[] {
  const contexts = [
    { context: spec.securityContext, at: path },
    ...containersWithPaths(spec, path).map(({ container, at }) => ({ context: container.securityContext, at })),
  ];
  return contexts
    .filter(({ context }) => context?.windowsOptions)
    .map(({ at }) =>
      forbidden(at.child("securityContext", "windowsOptions"), "windows options cannot be set for a linux pod"),
    );
}

function validateWindows(spec: PodSpec, path: FieldPath): FieldError[] {
  const detail = "cannot be set for a windows pod";
  const errors: FieldError[] = [];
  for (const field of ["hostUsers", "shareProcessNamespace"] as const) {
    if (spec[field] !== undefined) errors.push(forbidden(path.child(field), detail));
  }
  for (const field of ["hostPID", "hostIPC"] as const) {
    if (spec[field]) errors.push(forbidden(path.child(field), detail));
  }
  for (const field of podContextFields) {
    if (spec.securityContext?.[field] !== undefined) {
      errors.push(forbidden(path.child("securityContext", field), detail));
    }
  }
  for (const { container, at } of containersWithPaths(spec, path)) {
    for (const field of containerContextFields) {
      if (container.securityContext?.[field] !== undefined) {
        errors.push(forbidden(at.child("securityContext", field), detail));
      }
    }
  }
  return errors;
}
