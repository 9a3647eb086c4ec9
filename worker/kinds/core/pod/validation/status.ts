// Validates status updates of pods: upstream's `ValidatePodStatusUpdate`.
import type {
  ContainerStatus,
  Pod,
  PodExtendedResourceClaimStatus,
  PodSpec,
  PodStatus,
  Container,
  ResourceStatus,
} from "../../../../../shared/k8s/api/core-v1.ts";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  path,
  duplicate,
  required,
  notSupported,
  tooLong,
} from "../../../../../shared/k8s/field.ts";
import { dns1123Subdomain, qualifiedName, dns1123Label, unixId } from "../../../../../shared/k8s/names.ts";
import { validateImmutable } from "../../../../../shared/k8s/validate-meta.ts";
import { internalForm } from "../../../common/go-struct.ts";
import { validateIpForLegacyField } from "../../../common/ip-validation.ts";
import { each } from "../../../common/checks.ts";
import { repeatsOf } from "../../../../../shared/k8s/repeats.ts";
import { isSidecar } from "../resources.ts";
import { semanticEqual } from "../../../../../shared/k8s/equal.ts";
import { utf8Length } from "../../../../../shared/base/utf8.ts";

const healths = ["Healthy", "Unhealthy", "Unknown"];
const maxMessageBytes = 1024;
const ofClaims =
  "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";

const systemConditions = ["PodScheduled", "Ready", "Initialized"];

export function validatePodStatusUpdate(next: Pod, previous: Pod): FieldError[] {
  const at = path("status");
  const { status } = next;
  const errors: FieldError[] = [];
  for (const [index, { type, observedGeneration = 0 }] of (status.conditions ?? []).entries()) {
    const conditionAt = at.child("conditions").index(index);
    errors.push(...validateGeneration(observedGeneration, conditionAt));
    if (!systemConditions.includes(type)) errors.push(...each(qualifiedName(type), conditionAt.child("Type"), type));
  }
  const nominated = status.nominatedNodeName ?? "";
  if (nominated && nominated !== previous.status.nominatedNodeName) {
    const nominatedAt = at.child("nominatedNodeName");
    errors.push(...each(dns1123Subdomain(nominated), nominatedAt, nominated));
    const isBound = Boolean(previous.spec.nodeName);
    if (isBound) errors.push(forbidden(nominatedAt, "may not be set on pods that are already bound to a node"));
  }
  errors.push(...validateGeneration(status.observedGeneration ?? 0, at));
  errors.push(...validateImmutable(status.qosClass ?? "", previous.status.qosClass ?? "", at.child("qosClass")));
  errors.push(...validateTransitions(next, previous, at));
  errors.push(...validateClaimStatuses(status, next.spec, at));
  errors.push(...validateAddresses(status.podIPs ?? [], at.child("podIPs"), "io.k8s.api.core.v1.PodIP"));
  const [hostIPs, hostAt] = [status.hostIPs ?? [], at.child("hostIPs")];
  const first = hostIPs[0];
  if (first && first.ip !== status.hostIP) {
    errors.push(invalid(hostAt.index(0).child("ip"), first.ip, "must be equal to `hostIP`"));
  }
  errors.push(...validateAddresses(hostIPs, hostAt, "io.k8s.api.core.v1.HostIP"));
  return [...errors, ...validateContainerStatuses(next, at)];
}

function validateGeneration(generation: number, at: FieldPath): FieldError[] {
  if (generation >= 0) return [];
  return [invalid(at.child("observedGeneration"), generation, "must be a non-negative integer")];
}

/** Validates that a container which cannot restart stays terminated. */
function validateTransitions({ status }: Pod, { spec, status: old }: Pod, at: FieldPath): FieldError[] {
  const isSidecarName = (name: string) => isSidecar(spec.initContainers?.find((container) => container.name === name));
  const check = (
    field: "containerStatuses" | "initContainerStatuses" | "ephemeralContainerStatuses",
    mayLeave: (container: ContainerStatus) => boolean,
  ) => validateTransition(status[field] ?? [], old[field] ?? [], at.child(field), mayLeave);
  const restarts = ({ state }: ContainerStatus) =>
    spec.restartPolicy === "Always" || (spec.restartPolicy === "OnFailure" && state.terminated?.exitCode !== 0);
  return [
    ...check(
      "containerStatuses",
      (container) => restarts(container) || hasOwnRestarts(spec.containers, container.name),
    ),
    ...check(
      "initContainerStatuses",
      (container) =>
        restarts(container) ||
        isSidecarName(container.name) ||
        hasOwnRestarts(spec.initContainers ?? [], container.name),
    ),
    ...check("ephemeralContainerStatuses", () => false),
  ];
}

function hasOwnRestarts(containers: readonly { name: string; restartPolicy?: string }[], name: string): boolean {
  return containers.some((container) => container.name === name && container.restartPolicy !== undefined);
}

function validateTransition(
  next: readonly ContainerStatus[],
  previous: readonly ContainerStatus[],
  at: FieldPath,
  mayLeave: (container: ContainerStatus) => boolean,
): FieldError[] {
  return previous.flatMap((old, index) => {
    if (!old.state.terminated || mayLeave(old)) return [];
    const isLeft = next.some(({ name, state }) => name === old.name && !state.terminated);
    return isLeft ? [forbidden(at.index(index).child("state"), "may not be transitioned to non-terminated state")] : [];
  });
}

function validateAddresses(addresses: readonly { ip: string }[], at: FieldPath, type: string): FieldError[] {
  const errors = addresses.flatMap(({ ip }, index) => validateIpForLegacyField(ip, at.index(index)));
  const families = new Set(addresses.map(({ ip }) => ip.includes(":")));
  if (addresses.length < 2 || addresses.length === families.size) return errors;
  const printed = addresses.map((address) => internalForm(type, address));
  return [...errors, invalid(at, printed, "may specify no more than one IP for each IP family")];
}

function validateClaimStatuses(status: PodStatus, spec: PodSpec, at: FieldPath): FieldError[] {
  const { resourceClaimStatuses: statuses = [], extendedResourceClaimStatus: extended } = status;
  const claimNames = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  const repeats = repeatsOf(statuses, ({ name }) => name);
  const errors = statuses.flatMap(({ name, resourceClaimName: claim }, index) => {
    const where = at.child("resourceClaimStatuses").index(index);
    const wrong = claimNames.has(name)
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
  const containers = new Map(
    [...(spec.initContainers ?? []), ...spec.containers].map((container) => [container.name, container]),
  );
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
    if (!mappings.slice(0, index).some((earlier) => semanticEqual(earlier, mapping))) continue;
    for (const field of ["containerName", "resourceName", "requestName"] as const) {
      errors.push(duplicate(where.child(field), mapping[field]));
    }
  }
  const claimAt = at.child("resourceClaimName");
  return [...errors, ...(claim ? each(dns1123Subdomain(claim), claimAt, claim) : [required(claimAt)])];
}

function validateContainerStatuses({ spec, status }: Pod, at: FieldPath): FieldError[] {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const lists = { containerStatuses, initContainerStatuses, ephemeralContainerStatuses };
  const isWindows = spec.os?.name === "windows";
  const users = Object.entries(lists).flatMap(([field, list]) =>
    list.flatMap((containerStatus, index) =>
      validateUser(containerStatus, isWindows, at.child(field).index(index).child("user", "linux")),
    ),
  );
  const ephemeralAt = at.child("ephemeralContainerStatuses");
  const ephemeral = ephemeralContainerStatuses.flatMap(({ allocatedResourcesStatus = [] }, index) => {
    const where = ephemeralAt.index(index).child("allocatedResourcesStatus");
    return allocatedResourcesStatus.length ? [forbidden(where, "must not be specified in container status")] : [];
  });
  return [
    ...users,
    ...validateDevices(containerStatuses, spec.containers, at.child("containerStatuses")),
    ...validateDevices(initContainerStatuses, spec.initContainers ?? [], at.child("initContainerStatuses")),
    ...ephemeral,
  ];
}

function validateUser({ user }: ContainerStatus, isWindows: boolean, at: FieldPath): FieldError[] {
  const linux = user?.linux;
  if (!linux) return [];
  if (isWindows) return [forbidden(at, "cannot be set for a windows pod")];
  return [
    ...each(unixId(linux.uid), at.child("uid"), linux.uid),
    ...each(unixId(linux.gid), at.child("gid"), linux.gid),
    ...(linux.supplementalGroups ?? []).flatMap((group, index) =>
      each(unixId(group), at.child("supplementalGroups").index(index), group),
    ),
  ];
}

function validateDevices(
  statuses: readonly ContainerStatus[],
  containers: readonly Container[],
  at: FieldPath,
): FieldError[] {
  return statuses.flatMap(({ name, allocatedResourcesStatus: allocated = [] }, index) => {
    const container = containers.find((candidate) => candidate.name === name);
    return allocated.flatMap((allocatedResource, position) => {
      const where = at.index(index).child("allocatedResourcesStatus").index(position);
      return [
        ...(container ? validateAllocated(allocatedResource.name, container, where) : []),
        ...validateHealth(allocatedResource, where),
      ];
    });
  });
}

function validateAllocated(name: string, { resources }: Container, at: FieldPath): FieldError[] {
  const claims = (resources.claims ?? []).map(
    (claim) => `claim:${claim.name}${claim.request ? `/${claim.request}` : ""}`,
  );
  const isOfClaims = name.startsWith("claim:");
  const isKnown = isOfClaims ? claims.includes(name) : resources.requests?.[name] !== undefined;
  const detail = isOfClaims ? ofClaims : "must match one of the container's resource requests";
  return isKnown ? [] : [invalid(at.child("name"), name, detail)];
}

function validateHealth({ resources = [] }: ResourceStatus, at: FieldPath): FieldError[] {
  const repeats = repeatsOf(resources, ({ resourceID }) => resourceID);
  return resources.flatMap(({ resourceID, health = "", message }, index) => {
    const where = at.child("resources").index(index);
    const errors = healths.includes(health) ? [] : [notSupported(where.child("health"), health, healths)];
    const messageAt = where.child("message");
    if (message === "") errors.push(required(messageAt, "must be non-empty if specified"));
    else if (utf8Length(message ?? "") > maxMessageBytes) errors.push(tooLong(messageAt, maxMessageBytes));
    if (repeats[index]) {
      errors.push(duplicate(where.child("resourceID"), resourceID));
    }
    return errors;
  });
}
