// The devices that ResourceClaims and their templates request: defaults and validation.
import type {
  DeviceClaim,
  DeviceConstraint,
  DeviceRequest,
  DeviceSubRequest,
  ExactDeviceRequest,
} from "../../../shared/k8s/api/resource-v1.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  invalid,
  notSupportedInOrder,
  required,
  forbidden,
  path,
} from "../../../shared/k8s/field.ts";
import { dns1123Subdomain } from "../../../shared/k8s/names.ts";
import { each } from "../common/checks.ts";
import { validateFullyQualifiedName, validateLabel, validateSlice } from "./names.ts";
import { validateConfiguration, validateSelectors, validateTolerations } from "./selectors.ts";
import type { WriteContext } from "../kind.ts";
import { namespaces } from "../core/namespace.ts";

const label = "resource.kubernetes.io/admin-access";

const max = { requests: 32, constraints: 32, config: 32, alternatives: 8 };
const modes = ["All", "ExactCount"];
const oneForm = "exactly one of `exactly` or `firstAvailable` is required";
const badReference =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

export function defaultDeviceClaim({ requests }: DeviceClaim): void {
  for (const { exactly, firstAvailable = [] } of requests) {
    for (const subRequest of [...(exactly ? [exactly] : []), ...firstAvailable]) {
      subRequest.allocationMode ||= "ExactCount";
      if (subRequest.allocationMode === "ExactCount") subRequest.count ||= 1;
      for (const toleration of subRequest.tolerations ?? []) toleration.operator ||= "Equal";
    }
  }
}

export function validateDeviceClaim(claim: DeviceClaim, at: FieldPath): FieldError[] {
  const { requests, constraints = [], config = [] } = claim;
  const names = requestNames(claim);
  const ofRequests = (list: readonly string[], where: FieldPath) =>
    validateSet(
      list,
      max.requests,
      where.child("requests"),
      (requestName) => requestName,
      (requestName, place) => validateRequestName(requestName, names, place),
    );
  return [
    ...validateSet(requests, max.requests, at.child("requests"), ({ name }) => name, validateRequest),
    ...validateSlice(constraints, max.constraints, at.child("constraints"), (constraint, where) => [
      ...ofRequests(constraint.requests ?? [], where),
      ...validateConstraint(constraint, where),
    ]),
    ...validateSlice(config, max.config, at.child("config"), (configEntry, where) => [
      ...ofRequests(configEntry.requests ?? [], where),
      ...validateConfiguration(configEntry.opaque, where),
    ]),
  ];
}

/** Returns the names of requests, and of alternatives as `request/alternative`. */
export function requestNames({ requests }: DeviceClaim): ReadonlySet<string> {
  return new Set(
    requests.flatMap(({ name, firstAvailable = [] }) => [
      name,
      ...firstAvailable.map((alternative) => `${name}/${alternative.name}`),
    ]),
  );
}

export function validateRequestName(name: string, names: ReadonlySet<string>, at: FieldPath): FieldError[] {
  const segments = name.split("/");
  if (segments.length > 2) return [invalid(at, name, badReference)];
  const errors = segments.flatMap((segment) => validateLabel(segment, at));
  return names.has(name) ? errors : [...errors, invalid(at, name, badReference)];
}

/** Validates the items, then reports duplicates. */
export function validateSet<T>(
  items: readonly T[],
  limit: number,
  at: FieldPath,
  key: (item: T) => string,
  check: (item: T, at: FieldPath) => FieldError[],
): FieldError[] {
  const errors = validateSlice(items, limit, at, check);
  if (items.length > limit) return errors;
  const keys = items.map(key);
  const repeated = keys.flatMap((itemKey, index) =>
    keys.indexOf(itemKey) < index ? [duplicate(at.index(index), itemKey)] : [],
  );
  return [...errors, ...repeated];
}

function validateRequest({ name, exactly, firstAvailable = [] }: DeviceRequest, at: FieldPath): FieldError[] {
  const errors = validateLabel(name, at.child("name"));
  const hasAlternatives = firstAvailable.length > 0;
  if (!exactly && !hasAlternatives) return [...errors, required(at, oneForm)];
  if (exactly && hasAlternatives) return [...errors, invalid(at, null, `${oneForm}, but multiple fields are set`)];
  if (exactly) return [...errors, ...validateDevices(exactly, at.child("exactly"))];
  const where = at.child("firstAvailable");
  return [
    ...errors,
    ...validateSet(
      firstAvailable,
      max.alternatives,
      where,
      (subRequest) => subRequest.name,
      (subRequest, place) => [
        ...validateLabel(subRequest.name, place.child("name")),
        ...validateDevices(subRequest, place),
      ],
    ),
  ];
}

function validateDevices(request: ExactDeviceRequest | DeviceSubRequest, at: FieldPath): FieldError[] {
  const { deviceClassName, selectors = [], allocationMode: mode = "", count = 0, tolerations = [] } = request;
  const classAt = at.child("deviceClassName");
  const errors = deviceClassName
    ? each(dns1123Subdomain(deviceClassName), classAt, deviceClassName)
    : [required(classAt)];
  errors.push(...validateSelectors(selectors, at.child("selectors")));
  if (mode === "All" && count !== 0) {
    errors.push(invalid(at.child("count"), count, "must not be specified when allocationMode is 'All'"));
  } else if (mode === "ExactCount" && count <= 0) {
    errors.push(invalid(at.child("count"), count, "must be greater than zero"));
  } else if (!modes.includes(mode)) {
    errors.push(notSupportedInOrder(at.child("allocationMode"), mode, modes));
  }
  return [...errors, ...validateTolerations(tolerations, at.child("tolerations"))];
}

function validateConstraint({ matchAttribute, distinctAttribute }: DeviceConstraint, at: FieldPath): FieldError[] {
  if (matchAttribute !== undefined) return validateFullyQualifiedName(matchAttribute, at.child("matchAttribute"));
  if (distinctAttribute !== undefined) {
    return validateFullyQualifiedName(distinctAttribute, at.child("distinctAttribute"));
  }
  const either = 'exactly one of "matchAttribute" or "distinctAttribute" is required';
  return [required(at, `${either}, but multiple fields are set`)];
}

export function validateAdminAccess({ requests }: DeviceClaim, namespace: string, context: WriteContext): FieldError[] {
  const index = requests.findIndex(({ exactly }) => exactly?.adminAccess === true);
  if (index < 0) return [];
  const namespaceObject = context.get(namespaces, "", namespace);
  if (namespaceObject?.metadata.labels?.[label] === "true") return [];
  const at = path("spec", "devices", "requests").index(index).child("adminAccess");
  return [forbidden(at, `admin access to devices requires the \`${label}: true\` label on the containing namespace`)];
}
