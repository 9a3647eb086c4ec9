// Validates the security contexts of pods and containers.
import type {
  AppArmorProfile,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
} from "../../../../../shared/k8s/api/core-v1.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  forbidden,
  invalid,
  notSupportedInOrder,
  required,
  tooLong,
} from "../../../../../shared/k8s/field.ts";
import { unixId } from "../../../../../shared/k8s/names.ts";
import { internalForm } from "../../../common/go-struct.ts";
import { each, oneOf } from "../../../common/checks.ts";
import { localDescendingPath } from "./paths.ts";
import { validateWindowsOptions } from "./windows.ts";
import { repeatsOf } from "../../../../../shared/k8s/repeats.ts";

const securityContextType = "io.k8s.api.core.v1.SecurityContext";
const seccompType = "io.k8s.api.core.v1.SeccompProfile";
const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"];
const sysctlName = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const longestPath = 4095;

export function validateContainerSecurity(
  context: SecurityContext | undefined,
  usesHostUsers: boolean,
  path: FieldPath,
): FieldError[] {
  if (!context) return [];
  const { runAsUser, runAsGroup, procMount, allowPrivilegeEscalation, privileged, capabilities } = context;
  const errors = [
    ...validateId(runAsUser, path.child("runAsUser")),
    ...validateId(runAsGroup, path.child("runAsGroup")),
  ];
  if (procMount !== undefined) {
    if (procMount !== "Default" && procMount !== "Unmasked") {
      errors.push(notSupportedInOrder(path.child("procMount"), procMount, ["Default", "Unmasked"]));
    }
    if (usesHostUsers && procMount === "Unmasked") {
      errors.push(invalid(path.child("procMount"), procMount, "`hostUsers` must be false to use `Unmasked`"));
    }
  }
  errors.push(...validateSeccomp(context.seccompProfile, path.child("seccompProfile")));
  if (allowPrivilegeEscalation === false && privileged) {
    const detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
    errors.push(invalid(path, internalForm(securityContextType, context), detail));
  }
  if (allowPrivilegeEscalation === false && capabilities?.add?.includes("CAP_SYS_ADMIN")) {
    const detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
    errors.push(invalid(path, internalForm(securityContextType, context), detail));
  }
  errors.push(...validateWindowsOptions(context.windowsOptions, path.child("windowsOptions")));
  errors.push(...validateAppArmor(context.appArmorProfile, path.child("appArmorProfile")));
  return errors;
}

export function validatePodSecurity(spec: PodSpec, path: FieldPath): FieldError[] {
  const { securityContext: context, hostPID, shareProcessNamespace } = spec;
  if (!context) return [];
  const errors: FieldError[] = [];
  for (const field of ["fsGroup", "runAsUser", "runAsGroup"] as const) {
    errors.push(...validateId(context[field], path.child(field)));
  }
  for (const [index, group] of (context.supplementalGroups ?? []).entries()) {
    errors.push(...validateId(group, path.child("supplementalGroups").index(index)));
  }
  if (shareProcessNamespace && hostPID) {
    const detail = "ShareProcessNamespace and HostPID cannot both be enabled";
    errors.push(invalid(path.child("shareProcessNamespace"), true, detail));
  }
  errors.push(...validateSysctls(context, spec, path.child("sysctls")));
  errors.push(...validateChoice(context, path, "fsGroupChangePolicy", ["Always", "OnRootMismatch"]));
  errors.push(...validateSeccomp(context.seccompProfile, path.child("seccompProfile")));
  errors.push(...validateWindowsOptions(context.windowsOptions, path.child("windowsOptions")));
  errors.push(...validateAppArmor(context.appArmorProfile, path.child("appArmorProfile")));
  errors.push(...validateChoice(context, path, "supplementalGroupsPolicy", ["Merge", "Strict"]));
  // The policy MountOption is off by default.
  errors.push(...validateChoice(context, path, "seLinuxChangePolicy", ["Recursive"]));
  return errors;
}

/** Validates `hostUsers`: a pod with its own user namespace cannot use other host namespaces. */
export function validateHostUsers(
  { hostUsers, hostNetwork, hostPID, hostIPC }: PodSpec,
  path: FieldPath,
): FieldError[] {
  if (hostUsers !== false) return [];
  const detail = "when `hostUsers` is false";
  return [
    ...(hostNetwork ? [forbidden(path.child("hostNetwork"), detail)] : []),
    ...(hostPID ? [forbidden(path.child("HostPID"), detail)] : []),
    ...(hostIPC ? [forbidden(path.child("HostIPC"), detail)] : []),
  ];
}

function validateChoice(
  context: PodSecurityContext,
  path: FieldPath,
  field: "fsGroupChangePolicy" | "seLinuxChangePolicy" | "supplementalGroupsPolicy",
  supported: readonly string[],
): FieldError[] {
  const value = context[field];
  return value === undefined ? [] : oneOf(value, path.child(field), supported);
}

function validateSysctls(context: PodSecurityContext, spec: PodSpec, path: FieldPath): FieldError[] {
  const sysctls = context.sysctls ?? [];
  const repeats = repeatsOf(sysctls, ({ name }) => name);
  return sysctls.flatMap(({ name }, index) => {
    const at = path.index(index).child("name");
    const errors: FieldError[] = [];
    if (!name) errors.push(required(at));
    else if (name.length > 253 || !sysctlName.test(name)) {
      errors.push(invalid(at, name, `must have at most 253 characters and match regex ${sysctlRegexText}`));
    } else if (repeats[index]) errors.push(duplicate(at, name));
    const dotted = name.replaceAll("/", ".");
    if (spec.hostNetwork && dotted.startsWith("net.")) {
      errors.push(invalid(at, name, "may not be specified when 'hostNetwork' is true"));
    }
    if (spec.hostIPC && /^(kernel\.shm|kernel\.msg|kernel\.sem$|fs\.mqueue\.)/.test(dotted)) {
      errors.push(invalid(at, name, "may not be specified when 'hostIPC' is true"));
    }
    return errors;
  });
}

const sysctlRegexText = "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

function validateSeccomp(profile: SeccompProfile | undefined, path: FieldPath): FieldError[] {
  if (!profile) return [];
  const { type, localhostProfile } = profile;
  const errors: FieldError[] = [];
  const typeAt = path.child("type");
  if (!type) errors.push(required(typeAt, "type is required when seccompProfile is set"));
  else if (!profileTypes.includes(type)) errors.push(notSupportedInOrder(typeAt, type, profileTypes));
  const at = path.child("localhostProfile");
  if (type !== "Localhost") {
    if (localhostProfile === undefined) return errors;
    return [
      ...errors,
      invalid(at, internalForm(seccompType, profile), "can only be set when seccomp type is Localhost"),
    ];
  }
  if (localhostProfile === undefined) return [...errors, required(at, "must be set when seccomp type is Localhost")];
  return [...errors, ...localDescendingPath(localhostProfile, at)];
}

export function validateAppArmor(profile: AppArmorProfile | undefined, path: FieldPath): FieldError[] {
  if (!profile) return [];
  const { type, localhostProfile } = profile;
  const typeAt = path.child("type");
  if (!type) return [required(typeAt, "type is required when appArmorProfile is set")];
  if (!profileTypes.includes(type)) return [notSupportedInOrder(typeAt, type, profileTypes)];
  const at = path.child("localhostProfile");
  if (type !== "Localhost") {
    if (localhostProfile === undefined) return [];
    return [invalid(at, localhostProfile, "can only be set when AppArmor type is Localhost")];
  }
  if (!localhostProfile) return [required(at, "must be set when AppArmor type is Localhost")];
  const errors: FieldError[] = [];
  if (localhostProfile !== localhostProfile.trim()) {
    errors.push(invalid(at, localhostProfile, "must not be padded with whitespace"));
  }
  if (localhostProfile.length > longestPath) errors.push(tooLong(at, longestPath));
  return errors;
}

function validateId(id: number | undefined, path: FieldPath): FieldError[] {
  return id === undefined ? [] : each(unixId(id), path, id);
}
