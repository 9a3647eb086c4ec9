// What a pod's status may say of the claims of devices that were made for it.
import type { PodExtendedResourceClaimStatus, PodSpec, PodStatus } from "../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, type FieldPath, duplicate, invalid, required } from "../../../shared/k8s/field.ts";
import { dns1123Label, dns1123Subdomain } from "../../../shared/k8s/names.ts";
import { each } from "./checks.ts";
import { repeatsOf } from "../../../shared/k8s/repeats.ts";

export function validateClaimStatuses(status: PodStatus, spec: PodSpec, at: FieldPath): FieldError[] {
  const { resourceClaimStatuses: statuses = [], extendedResourceClaimStatus: extended } = status;
  const known = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  const repeats = repeatsOf(statuses, ({ name }) => name);
  const errors = statuses.flatMap(({ name, resourceClaimName: claim }, index) => {
    const where = at.child("resourceClaimStatuses").index(index);
    const wrong = known.has(name)
      ? []
      : [invalid(where.child("name"), name, "must match the name of an entry in `spec.resourceClaims`")];
    if (repeats[index]) wrong.push(duplicate(where.child("name"), name));
    if (claim !== undefined) wrong.push(...each(dns1123Subdomain(claim), where.child("resourceClaimName"), claim));
    return wrong;
  });
  if (extended) errors.push(...validateExtended(extended, spec, at.child("extendedResourceClaimStatus")));
  return errors;
}

function validateExtended(
  { requestMappings: mappings, resourceClaimName: claim }: PodExtendedResourceClaimStatus,
  spec: PodSpec,
  at: FieldPath,
): FieldError[] {
  const containers = new Map([...(spec.initContainers ?? []), ...spec.containers].map((one) => [one.name, one]));
  const mappingsAt = at.child("requestMappings");
  const errors = mappings.length ? [] : [required(mappingsAt, "at least one request mapping is required")];
  for (const [index, mapping] of mappings.entries()) {
    const { containerName, resourceName, requestName } = mapping;
    const where = mappingsAt.index(index);
    const container = containers.get(containerName);
    if (!container) {
      const detail = "must match the name of an entry in spec.initContainers.name or spec.containers.name";
      errors.push(invalid(where.child("containerName"), containerName, detail));
    } else if (container.resources.requests?.[resourceName] === undefined) {
      const detail =
        "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests";
      errors.push(invalid(where.child("resourceName"), resourceName, detail));
    }
    errors.push(...each(dns1123Label(requestName), at.child("requestName"), requestName));
    if (!mappings.slice(0, index).some((one) => semanticEqual(one, mapping))) continue;
    for (const field of ["containerName", "resourceName", "requestName"] as const) {
      errors.push(duplicate(where.child(field), mapping[field]));
    }
  }
  const claimAt = at.child("resourceClaimName");
  return [...errors, ...(claim ? each(dns1123Subdomain(claim), claimAt, claim) : [required(claimAt)])];
}
