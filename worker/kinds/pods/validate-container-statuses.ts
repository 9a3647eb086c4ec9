// What a pod's status may say of its containers' users and of the health of their devices.
import { utf8Length } from "../../../shared/base/utf8.ts";
import type { Container, ContainerStatus, Pod, ResourceStatus } from "../../../shared/k8s/api/core-v1.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from "../../../shared/k8s/field.ts";
import { unixId } from "../../../shared/k8s/names.ts";
import { each } from "./checks.ts";
import { repeatsOf } from "../../../shared/k8s/repeats.ts";

const healths = ["Healthy", "Unhealthy", "Unknown"];
const maxMessageBytes = 1024;
const ofClaims =
  "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";

export function validateContainerStatuses({ spec, status }: Pod, at: FieldPath): FieldError[] {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const lists = { containerStatuses, initContainerStatuses, ephemeralContainerStatuses };
  const isWindows = spec.os?.name === "windows";
  const users = Object.entries(lists).flatMap(([field, list]) =>
    list.flatMap((one, index) => validateUser(one, isWindows, at.child(field).index(index).child("user", "linux"))),
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
    const container = containers.find((one) => one.name === name);
    return allocated.flatMap((one, position) => {
      const where = at.index(index).child("allocatedResourcesStatus").index(position);
      return [...(container ? validateAllocated(one.name, container, where) : []), ...validateHealth(one, where)];
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
