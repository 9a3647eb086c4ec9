// Validates resource requests and limits.
import type { PodSpec, ResourceClaim, ResourceRequirements } from "../../../../../shared/k8s/api/core-v1.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
} from "../../../../../shared/k8s/field.ts";
import { dns1123Label, qualifiedName } from "../../../../../shared/k8s/names.ts";
import {
  type Quantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  zeroQuantity,
} from "../../../../../shared/k8s/quantity.ts";
import { each } from "../../../common/checks.ts";
import {
  aggregateContainerRequests,
  containerResources,
  isHugePages,
  isNativeResource,
  isOvercommitAllowed,
} from "../resources.ts";

const computeResources = ["cpu", "memory", "ephemeral-storage"];
const countedResources = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];
const standardResources = [
  ...computeResources,
  ...computeResources.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  ...countedResources,
  "storage",
  "requests.storage",
];
const billion = 1_000_000_000n;
const wholeBelow = 1_000_000n;

export function validateResources(
  { limits = {}, requests = {}, claims = [] }: ResourceRequirements,
  claimNames: readonly string[],
  path: FieldPath,
  checkName: (name: string, path: FieldPath) => FieldError[] = validateContainerResourceName,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [list, field] of [
    [limits, "limits"],
    [requests, "requests"],
  ] as const) {
    for (const [name, text] of Object.entries(list)) {
      const at = path.child(field).key(name);
      errors.push(...checkName(name, at), ...validateResourceQuantity(name, text, at));
      if (field === "requests") errors.push(...validateRequest(name, quantityOf(text), limits[name], path));
      if (isHugePages(name)) errors.push(...validateHugePages(name, quantityOf(text), at));
    }
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory")) {
    errors.push(forbidden(path, "HugePages require cpu or memory"));
  }
  return [...errors, ...validateClaims(claims, claimNames, path.child("claims"))];
}

/** Validates pod-level resources, which must be at least the sum of the containers' requests. */
export function validatePodLevelResources(spec: PodSpec, path: FieldPath): FieldError[] {
  if (!spec.resources) return [];
  if (spec.os?.name === "windows") return [forbidden(path, "may not be set for a windows pod")];
  const { claims, limits = {}, requests = {} } = spec.resources;
  const claimNames = (spec.resourceClaims ?? []).map(({ name }) => name);
  const errors: FieldError[] = [];
  if (claims) errors.push(forbidden(path.child("claims"), "claims may not be set for Resources at pod-level"));
  errors.push(...validateResources(spec.resources, claimNames, path, validatePodResourceName));
  for (const [name, sum] of aggregateContainerRequests(spec)) {
    const request = requests[name];
    if (request === undefined) continue;
    const podRequest = quantityOf(request);
    if (compareQuantities(sum, podRequest) <= 0) continue;
    const detail = `must be greater than or equal to aggregate container requests of ${formatQuantity(sum)}`;
    errors.push(invalid(path.child("requests").key(name), formatQuantity(podRequest), detail));
  }
  for (const [name, sum] of containerResources(spec, "limits")) {
    const limit = limits[name];
    if (!isHugePages(name) || limit === undefined || compareQuantities(sum, quantityOf(limit)) <= 0) continue;
    const detail = `must be greater than or equal to aggregate container limits of ${formatQuantity(sum)}`;
    errors.push(invalid(path.child("limits").key(name), limit, detail));
  }
  for (const [index, container] of spec.containers.entries()) {
    for (const [name, limit] of Object.entries(container.resources.limits ?? {})) {
      const podLimit = limits[name];
      if (podLimit === undefined || compareQuantities(quantityOf(limit), quantityOf(podLimit)) <= 0) continue;
      const at = path.child("containers").index(index).key(name).child("limits");
      errors.push(invalid(at, limit, `must be less than or equal to pod limits of ${podLimit}`));
    }
  }
  return errors;
}

/** Validates a quantity: not negative, and an integer if it counts objects. */
export function validateResourceQuantity(name: string, text: string, path: FieldPath): FieldError[] {
  const quantity = quantityOf(text);
  const errors: FieldError[] = [];
  if (quantity.nanos < 0n) errors.push(invalid(path, text, "must be greater than or equal to 0"));
  const isCount = countedResources.includes(name) || isExtendedResource(name);
  if (isCount && (quantity.nanos / wholeBelow) % 1000n !== 0n) errors.push(invalid(path, text, "must be an integer"));
  return errors;
}

export function validateContainerResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = validateResourceName(name, path);
  if (!name.includes("/")) {
    if (!computeResources.includes(name) && !isHugePages(name)) {
      errors.push(invalid(path, name, "must be a standard resource for containers"));
    }
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.push(invalid(path, name, "doesn't follow extended resource name standard"));
  }
  return errors;
}

function validatePodResourceName(name: string, path: FieldPath): FieldError[] {
  const wrong = validateResourceName(name, path);
  if (wrong.length > 0 || name === "cpu" || name === "memory" || isHugePages(name)) return wrong;
  return [notSupported(path, name, ["cpu", "hugepages-", "memory"])];
}

export function validateResourceName(name: string, path: FieldPath): FieldError[] {
  const wrong = each(qualifiedName(name), path, name);
  const isStandard = name.includes("/") || standardResources.includes(name) || /^(requests\.)?hugepages-/.test(name);
  if (wrong.length > 0 || isStandard) return wrong;
  return [invalid(path, name, "must be a standard resource type or fully qualified")];
}

function isExtendedResource(name: string): boolean {
  return !isNativeResource(name) && !name.startsWith("requests.") && qualifiedName(`requests.${name}`).length === 0;
}

function validateRequest(
  name: string,
  request: Quantity,
  limitText: string | undefined,
  path: FieldPath,
): FieldError[] {
  if (limitText === undefined) {
    if (isOvercommitAllowed(name)) return [];
    return [required(path.child("limits"), "Limit must be set for non overcommitable resources")];
  }
  const order = compareQuantities(request, quantityOf(limitText));
  const at = path.child("requests");
  if (order !== 0 && !isOvercommitAllowed(name)) {
    return [invalid(at, formatQuantity(request), `must be equal to ${name} limit of ${limitText}`)];
  }
  if (order <= 0) return [];
  return [invalid(at, formatQuantity(request), `must be less than or equal to ${name} limit of ${limitText}`)];
}

function validateHugePages(name: string, value: Quantity, path: FieldPath): FieldError[] {
  const page = parseQuantity(name.slice("hugepages-".length))?.nanos ?? 0n;
  const isWhole = page > 0n && page % billion === 0n && value.nanos % page === 0n;
  const text = formatQuantity(value);
  return isWhole ? [] : [invalid(path, text, `${text} is not positive integer multiple of ${name}`)];
}

function validateClaims(claims: readonly ResourceClaim[], podClaims: readonly string[], path: FieldPath): FieldError[] {
  return claims.flatMap((claim, index) => {
    const at = path.index(index);
    if (!claim.name) return [required(at)];
    const errors = validateClaimRequest(claim, claims.slice(0, index), at);
    return podClaims.includes(claim.name) ? errors : [...errors, unknownClaim(claim.name, podClaims, at)];
  });
}

/** Rejects a request of a claim that is used as a whole already. */
function validateClaimRequest(
  { name, request = "" }: ResourceClaim,
  before: readonly ResourceClaim[],
  at: FieldPath,
): FieldError[] {
  const earlierRequests = before.filter((claim) => claim.name === name).map((claim) => claim.request ?? "");
  if (earlierRequests.includes("")) return [duplicate(at, name)];
  if (!request) return [...new Set(earlierRequests)].map(() => duplicate(at, name));
  return [
    ...each(dns1123Label(request), at.child("request"), request),
    ...(earlierRequests.includes(request) ? [duplicate(at, `${name}/${request}`)] : []),
  ];
}

function unknownClaim(name: string, podClaims: readonly string[], at: FieldPath): FieldError {
  const error = notFound(at, name);
  const names = podClaims.length ? `: ${[...new Set(podClaims)].sort().join(", ")}` : " which is empty";
  return { ...error, message: `${error.message}: must be one of the names in pod.spec.resourceClaims${names}` };
}

function quantityOf(text: string): Quantity {
  return parseQuantity(text) ?? zeroQuantity;
}
