// Validates `clusterIP`, `clusterIPs`, `ipFamilies` and `ipFamilyPolicy`: upstream's `ValidateServiceClusterIPsRelatedFields`.
import type { Service } from "../../../../../shared/k8s/api/core-v1.ts";
import { type FieldError, duplicate, invalid, notSupported, path, required } from "../../../../../shared/k8s/field.ts";
import { parseIp } from "../../../../../shared/k8s/ip.ts";
import { validateIpForLegacyField } from "../../../common/ip-validation.ts";
import { isHeadless } from "../traits.ts";

const families = ["IPv4", "IPv6"];
const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const ipsPath = path("spec", "clusterIPs");
const familiesPath = path("spec", "ipFamilies");
const policyPath = path("spec", "ipFamilyPolicy");

export function validateServiceClusterIpsRelatedFields(service: Service): FieldError[] {
  if (service.spec.type === "ExternalName") return [];
  const errors = [...validateInSync(service), ...validateFamilies(service)];
  const { clusterIPs = [] } = service.spec;
  const malformed = validateAddresses(clusterIPs);
  errors.push(...malformed);
  if (clusterIPs.length > 2) errors.push(invalid(ipsPath, clusterIPs, "may only hold up to 2 values"));
  // Further errors about malformed addresses would be misleading.
  if (malformed.length) return errors;
  const kinds = new Set(clusterIPs.map((ip) => parseIp(ip)?.family));
  if (clusterIPs.length > 1 && kinds.size < 2) {
    errors.push(invalid(ipsPath, clusterIPs, "may specify no more than one IP for each IP family"));
  }
  return [...errors, ...validateMatching(service)];
}

/** Validates changes of addresses and families: upstream's `validateUpgradeDowngrade...`. */
export function validateClusterIpsUpdate(next: Service, previous: Service): FieldError[] {
  if (next.spec.type === "ExternalName" || previous.spec.type === "ExternalName") return [];
  const wasHeadless = isHeadless(previous);
  const errors = wasHeadless && isHeadless(next) ? [] : validateIpsUpdate(next, previous);
  return wasHeadless || isHeadless(next) ? errors : [...errors, ...validateFamiliesUpdate(next, previous)];
}

function validateInSync({ spec: { clusterIP = "", clusterIPs = [] } }: Service): FieldError[] {
  if (!clusterIP) {
    if (!clusterIPs.length) return [];
    return [invalid(ipsPath, clusterIPs, "must be empty when `clusterIP` is not specified")];
  }
  if (!clusterIPs.length) return [required(ipsPath)];
  return clusterIPs[0] === clusterIP ? [] : [invalid(ipsPath, clusterIPs, "first value must match `clusterIP`")];
}

function validateFamilies({ spec: { ipFamilies = [], ipFamilyPolicy } }: Service): FieldError[] {
  const errors: FieldError[] = [];
  ipFamilies.forEach((family, at) => {
    if (!families.includes(family)) errors.push(notSupported(familiesPath.index(at), family, families));
    if (ipFamilies.indexOf(family) < at) errors.push(duplicate(familiesPath.index(at), family));
  });
  if (ipFamilyPolicy !== undefined && !policies.includes(ipFamilyPolicy)) {
    errors.push(notSupported(policyPath, ipFamilyPolicy, policies));
  }
  return errors;
}

function validateAddresses(clusterIPs: readonly string[]): FieldError[] {
  return clusterIPs.flatMap((ip, at) => {
    if (at > 0 || ip !== "None") return validateIpForLegacyField(ip, ipsPath.index(at));
    return clusterIPs.length > 1 ? [invalid(ipsPath, clusterIPs, "'None' must be the first and only value")] : [];
  });
}

function validateMatching(service: Service): FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = service.spec;
  if (isHeadless(service)) return [];
  return clusterIPs.flatMap((ip, at) => {
    const family = ipFamilies[at];
    if (family === undefined || family === parseIp(ip)?.family || !families.includes(family)) return [];
    return [invalid(ipsPath.index(at), ip, `expected an ${family} value as indicated by \`ipFamilies[${at}]\``)];
  });
}

function validateIpsUpdate(next: Service, previous: Service): FieldError[] {
  const now = next.spec.clusterIPs ?? [];
  const before = previous.spec.clusterIPs ?? [];
  const changeError = (at: number) => invalid(ipsPath.index(at), now, "may not change once set");
  if (before.length === now.length) return before.flatMap((ip, at) => (ip === now[at] ? [] : [changeError(at)]));
  const errors: FieldError[] = [];
  if (before.length > now.length && !now.length) {
    errors.push(invalid(ipsPath.index(0), now, "primary clusterIP can not be unset"));
  }
  if (before.length && now.length && now[0] !== before[0]) errors.push(changeError(0));
  if (before.length > now.length && now.length === 1 && next.spec.ipFamilyPolicy !== "SingleStack") {
    const why = "must be set to 'SingleStack' when releasing the secondary clusterIP";
    errors.push(invalid(policyPath, next.spec.ipFamilyPolicy, why));
  }
  return errors;
}

function validateFamiliesUpdate(next: Service, previous: Service): FieldError[] {
  const now = next.spec.ipFamilies ?? [];
  const before = previous.spec.ipFamilies ?? [];
  const at = familiesPath.index(0);
  if (before.length === now.length) {
    return before.flatMap((family, index) =>
      family === now[index] ? [] : [invalid(at, now, "may not change once set")],
    );
  }
  const errors: FieldError[] = [];
  if (before.length > now.length && !next.spec.clusterIPs?.length) {
    errors.push(invalid(at, now, "primary ipFamily can not be unset"));
  }
  if (before.length && now.length && now[0] !== before[0]) {
    errors.push(invalid(at, next.spec.clusterIPs, "may not change once set"));
  }
  if (before.length > now.length && now.length === 1 && next.spec.ipFamilyPolicy !== "SingleStack") {
    const why = "must be set to 'SingleStack' when releasing the secondary ipFamily";
    errors.push(invalid(policyPath, next.spec.ipFamilyPolicy, why));
  }
  return errors;
}
