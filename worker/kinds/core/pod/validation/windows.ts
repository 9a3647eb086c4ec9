// Validates Windows options of security contexts, and the requirements of host process pods.
import { utf8Length } from "../../../../../shared/base/utf8.ts";
import type { PodSpec, WindowsSecurityContextOptions } from "../../../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, invalid } from "../../../../../shared/k8s/field.ts";
import { dns1123Subdomain } from "../../../../../shared/k8s/names.ts";
import { containersWithPaths, each } from "../../../common/checks.ts";

const maxSpecKib = 64;
const maxDomainLength = 256;
const maxUserLength = 104;
const netBiosDomain = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsDomain =
  /^(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])\.)*([A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9])$/;

export function validateWindowsOptions(
  options: WindowsSecurityContextOptions | undefined,
  path: FieldPath,
): FieldError[] {
  if (!options) return [];
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  const errors: FieldError[] = [];
  if (name !== undefined) errors.push(...each(dns1123Subdomain(name), path.child("gmsaCredentialSpecName"), name));
  const specAt = path.child("gmsaCredentialSpec");
  if (spec === "") errors.push(invalid(specAt, "", "gmsaCredentialSpec cannot be an empty string"));
  else if (spec !== undefined && utf8Length(spec) > maxSpecKib * 1024) {
    errors.push(invalid(specAt, spec, `gmsaCredentialSpec size must be under ${maxSpecKib} KiB`));
  }
  return user === undefined ? errors : [...errors, ...each(userProblems(user), path.child("runAsUserName"), user)];
}

/** Validates `USER` or `DOMAIN\\USER`. */
function userProblems(name: string): string[] {
  if (name === "") return ["runAsUserName cannot be an empty string"];
  // The pattern matches control characters on purpose.
  if (/[\u0000-\u001f\u007f]/.test(name)) return ["runAsUserName cannot contain control characters"];
  const segments = name.split("\\");
  if (segments.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const [user = "", domain] = segments.reverse();
  const problems: string[] = [];
  if (domain !== undefined && utf8Length(domain) >= maxDomainLength) {
    problems.push(`runAsUserName's Domain length must be under ${maxDomainLength} characters`);
  }
  if (domain !== undefined && !netBiosDomain.test(domain) && !dnsDomain.test(domain)) {
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === "") problems.push("runAsUserName's User cannot be empty");
  else if (utf8Length(user) > maxUserLength) {
    problems.push(`runAsUserName's User length must not be longer than ${maxUserLength} characters`);
  }
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    problems.push(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  }
  return problems;
}

/** Validates host processes: all containers of the pod must be, and it must use the host network. */
export function validateHostProcess(spec: PodSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = containersWithPaths(spec, path);
  let hostProcesses = 0;
  for (const { container, at } of containers) {
    const isHostProcess = container.securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && isHostProcess !== undefined && ofPod !== isHostProcess) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      errors.push(invalid(at.child("securityContext", "windowsOptions", "hostProcess"), isHostProcess, detail));
    }
    if (isHostProcess ?? ofPod) hostProcesses++;
  }
  if (hostProcesses === 0) return errors;
  if (hostProcesses !== containers.length) {
    const detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    errors.push(invalid(path, "", detail));
  }
  if (!spec.hostNetwork) {
    const detail = "hostNetwork must be true if pod contains any hostProcess containers";
    errors.push(invalid(path.child("hostNetwork"), false, detail));
  }
  return errors;
}
