// Upstream's `ValidatePodSpec`, for pods and templates.
import { utf8Length } from "../../../../../shared/base/utf8.ts";
import type { PodDNSConfig, PodResourceClaim, PodSpec } from "../../../../../shared/k8s/api/core-v1.ts";
import type { ObjectMeta } from "../../../../../shared/k8s/api/meta-v1.ts";
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
import {
  dns1123Label,
  dns1123Subdomain,
  dns1123SubdomainWithUnderscore,
  inRange,
  qualifiedName,
} from "../../../../../shared/k8s/names.ts";
import { validateLabels } from "../../../../../shared/k8s/validate-meta.ts";
import { internalForm } from "../../../common/go-struct.ts";
import { validateIpForLegacyField } from "../../../common/ip-validation.ts";
import { each } from "../../../common/checks.ts";
import { validateFileVolumes } from "./env.ts";
import { validateHostProcess } from "./windows.ts";
import { validateContainers, validateEphemeralContainers, validateInitContainers } from "./containers.ts";
import { validateOs } from "./os.ts";
import { validatePodLevelResources, validateResources } from "./resources.ts";
import {
  validateAffinity,
  validateSchedulingGates,
  validateSpreadConstraints,
  validateTolerations,
} from "./scheduling.ts";
import { validateHostUsers, validatePodSecurity } from "./security.ts";
import { validateVolumes } from "./volumes.ts";
import { repeatsOf } from "../../../../../shared/k8s/repeats.ts";

const maxInt32 = 2 ** 31 - 1;
const maxHostnameBytes = 64;
const claimType = "io.k8s.api.core.v1.PodResourceClaim";

/** Validates a spec. `meta` is undefined for templates. */
export function validatePodSpec(spec: PodSpec, meta: ObjectMeta | undefined, path: FieldPath): FieldError[] {
  const { volumes, errors } = validateVolumes(spec.volumes ?? [], meta, path.child("volumes"));
  const grace = path.child("terminationGracePeriodSeconds");
  return [
    ...(spec.terminationGracePeriodSeconds === undefined ? [required(grace)] : []),
    ...errors,
    ...validateResourceClaims(spec.resourceClaims ?? [], path.child("resourceClaims")),
    ...validateContainers(spec, volumes, path.child("containers")),
    ...validateInitContainers(spec, volumes, path.child("initContainers")),
    ...validateEphemeralContainers(spec, volumes, path.child("ephemeralContainers")),
    ...validatePodLevelResources(spec, path.child("resources")),
    ...validateHostNetworkPorts(spec, meta !== undefined, path.child("containers")),
    ...validatePolicies(spec, path),
    ...validateLabels(spec.nodeSelector, path.child("nodeSelector")),
    ...validatePodSecurity(spec, path.child("securityContext")),
    ...validateAffinity(spec, path.child("affinity")),
    ...validateDns(spec, path.child("dnsConfig")),
    ...(spec.readinessGates ?? []).flatMap(({ conditionType }, index) =>
      each(
        qualifiedName(conditionType),
        path.child("readinessGates").index(index).child("conditionType"),
        conditionType,
      ),
    ),
    ...validateSchedulingGates(spec.schedulingGates ?? [], path.child("schedulingGates")),
    ...validateSpreadConstraints(spec.topologySpreadConstraints ?? [], path.child("topologySpreadConstraints")),
    ...validateHostProcess(spec, path),
    ...validateHostUsers(spec, path),
    ...validateHostnameOverride(spec, path.child("hostnameOverride")),
    ...validateNames(spec, path),
    ...validateTolerations(spec.tolerations ?? [], path.child("tolerations")),
    ...validateHostAliases(spec, path.child("hostAliases")),
    ...validateClassNames(spec, path),
    ...validatePreemption(spec, path.child("preemptionPolicy")),
    ...(spec.overhead ? validateResources({ limits: spec.overhead }, [], path.child("overhead")) : []),
    ...validateOs(spec, path),
    ...validateFileVolumes(spec, path),
  ];
}

function validatePolicies({ restartPolicy, dnsPolicy }: PodSpec, path: FieldPath): FieldError[] {
  return [
    ...inList(restartPolicy, path.child("restartPolicy"), ["Always", "OnFailure", "Never"]),
    ...inList(dnsPolicy, path.child("dnsPolicy"), ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"]),
  ];
}

function validatePreemption({ preemptionPolicy }: PodSpec, path: FieldPath): FieldError[] {
  return preemptionPolicy === undefined ? [] : inList(preemptionPolicy, path, ["PreemptLowerPriority", "Never"]);
}

function inList(value: string | undefined, path: FieldPath, supported: readonly string[]): FieldError[] {
  if (!value) return [required(path)];
  return supported.includes(value) ? [] : [notSupportedInOrder(path, value, supported)];
}

function validateNames(spec: PodSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const check = (field: "serviceAccountName" | "nodeName" | "hostname" | "subdomain") => {
    const name = spec[field];
    const isLabel = field === "hostname" || field === "subdomain";
    if (name) errors.push(...each(isLabel ? dns1123Label(name) : dns1123Subdomain(name), path.child(field), name));
  };
  check("serviceAccountName");
  check("nodeName");
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined) {
    errors.push(...each(inRange(deadline, 1, maxInt32), path.child("activeDeadlineSeconds"), deadline));
  }
  check("hostname");
  check("subdomain");
  return errors;
}

function validateClassNames({ priorityClassName, runtimeClassName }: PodSpec, path: FieldPath): FieldError[] {
  const check = (name: string, field: string) => each(dns1123Subdomain(name), path.child(field), name);
  return [
    ...(priorityClassName ? check(priorityClassName, "priorityClassName") : []),
    ...(runtimeClassName === undefined ? [] : check(runtimeClassName, "runtimeClassName")),
  ];
}

function validateHostnameOverride(
  { hostnameOverride: name, setHostnameAsFQDN, hostNetwork }: PodSpec,
  path: FieldPath,
): FieldError[] {
  if (name === undefined) return [];
  const errors: FieldError[] = [];
  if (setHostnameAsFQDN) errors.push(forbidden(path, "may not be specified when setHostnameAsFQDN is true"));
  if (hostNetwork) errors.push(forbidden(path, "may not be specified when hostNetwork is true"));
  if (utf8Length(name) > maxHostnameBytes) errors.push(tooLong(path, maxHostnameBytes));
  return [...errors, ...each(dns1123Subdomain(name), path, name)];
}

/** Validates host ports in the host network. In a pod they must equal the container ports; in a template they may be unset. */
function validateHostNetworkPorts(spec: PodSpec, isPod: boolean, path: FieldPath): FieldError[] {
  if (!spec.hostNetwork) return [];
  return spec.containers.flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ hostPort = 0, containerPort }, portIndex) => {
      if (hostPort === containerPort || (!isPod && hostPort === 0)) return [];
      const at = path.index(index).child("ports").index(portIndex).child("hostPort");
      return [invalid(at, hostPort, "must match `containerPort` when `hostNetwork` is true")];
    }),
  );
}

function validateHostAliases({ hostAliases = [] }: PodSpec, path: FieldPath): FieldError[] {
  return hostAliases.flatMap(({ ip, hostnames = [] }, index) => [
    ...validateIpForLegacyField(ip, path.index(index).child("ip")),
    ...hostnames.flatMap((name, at) =>
      each(dns1123Subdomain(name), path.index(index).child("hostnames").index(at), name),
    ),
  ]);
}

function validateDns({ dnsPolicy, dnsConfig }: PodSpec, path: FieldPath): FieldError[] {
  if (dnsPolicy === "None" && !dnsConfig) {
    return [required(path, "must provide `dnsConfig` when `dnsPolicy` is None")];
  }
  if (dnsPolicy === "None" && !dnsConfig?.nameservers?.length) {
    const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
    return [required(path.child("nameservers"), detail)];
  }
  return dnsConfig ? validateDnsConfig(dnsConfig, path) : [];
}

function validateDnsConfig(
  { nameservers = [], searches = [], options = [] }: PodDNSConfig,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const at = path.child("searches");
  if (nameservers.length > 3) {
    errors.push(invalid(path.child("nameservers"), nameservers, "must not have more than 3 nameservers"));
  }
  for (const [index, server] of nameservers.entries()) {
    errors.push(...validateIpForLegacyField(server, path.child("nameservers").index(index)));
  }
  if (searches.length > 32) errors.push(invalid(at, searches, "must not have more than 32 search paths"));
  if (searches.join(" ").length > 2048) {
    const detail = "must not have more than 2048 characters (including spaces) in the search list";
    errors.push(invalid(at, searches, detail));
  }
  for (const [index, search] of searches.entries()) {
    const name = search.replace(/\.$/, "");
    if (search !== ".") errors.push(...each(dns1123SubdomainWithUnderscore(name), at.index(index), name));
  }
  for (const [index, { name }] of options.entries()) {
    if (!name) errors.push(required(path.child("options").index(index), "must not be empty"));
  }
  return errors;
}

function validateResourceClaims(claims: readonly PodResourceClaim[], path: FieldPath): FieldError[] {
  const repeats = repeatsOf(claims, ({ name }) => name);
  return claims.flatMap((claim, index) => {
    const at = path.index(index);
    const { name, resourceClaimName, resourceClaimTemplateName } = claim;
    const errors: FieldError[] = [];
    if (!name) errors.push(required(at.child("name")));
    else if (repeats[index]) errors.push(duplicate(at.child("name"), name));
    else errors.push(...each(dns1123Label(name), at.child("name"), name));
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      const detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
      errors.push(invalid(at, internalForm(claimType, claim), detail));
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      const printed = internalForm(claimType, claim);
      errors.push(invalid(at, printed, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"));
    }
    for (const field of ["resourceClaimName", "resourceClaimTemplateName"] as const) {
      const value = claim[field];
      if (value !== undefined) errors.push(...each(dns1123Subdomain(value), at.child(field), value));
    }
    return errors;
  });
}
