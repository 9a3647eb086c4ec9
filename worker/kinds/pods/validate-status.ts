// What a status update may say of a pod: upstream's `ValidatePodStatusUpdate`.
import type { ContainerStatus, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, duplicate, forbidden, invalid, path } from "../../../shared/k8s/field.ts";
import { dns1123Subdomain, qualifiedName } from "../../../shared/k8s/names.ts";
import { validateImmutable } from "../../../shared/k8s/validate-meta.ts";
import { validateIp } from "../network/validate-ip.ts";
import { each } from "./checks.ts";
import { isSidecar } from "./resources.ts";

const systemConditions = ["PodScheduled", "Ready", "Initialized"];

export function validatePodStatusUpdate(next: Pod, previous: Pod): FieldError[] {
  const at = path("status");
  const { status } = next;
  const errors: FieldError[] = [];
  for (const [index, { type }] of (status.conditions ?? []).entries()) {
    // Upstream names the metadata here.
    const conditionAt = path("metadata", "conditions").index(index).child("Type");
    if (!systemConditions.includes(type)) errors.push(...each(qualifiedName(type), conditionAt, type));
  }
  const nominated = status.nominatedNodeName ?? "";
  if (nominated && nominated !== previous.status.nominatedNodeName) {
    errors.push(...each(dns1123Subdomain(nominated), at.child("nominatedNodeName"), nominated));
  }
  errors.push(...validateImmutable(status.qosClass ?? "", previous.status.qosClass ?? "", at.child("qosClass")));
  errors.push(...validateTransitions(next, previous, at));
  errors.push(...validateAddresses(status.podIPs ?? [], at.child("podIPs")));
  const [hostIPs, hostAt] = [status.hostIPs ?? [], at.child("hostIPs")];
  const first = hostIPs[0];
  if (first && first.ip !== status.hostIP) {
    errors.push(invalid(hostAt.index(0).child("ip"), first.ip, "must be equal to `hostIP`"));
  }
  return [...errors, ...validateAddresses(hostIPs, hostAt)];
}

/** A container that will not be started again stays terminated. */
function validateTransitions({ status }: Pod, { spec, status: old }: Pod, at: FieldPath): FieldError[] {
  const isSidecarName = (name: string) => isSidecar(spec.initContainers?.find((one) => one.name === name));
  const check = (
    field: "containerStatuses" | "initContainerStatuses" | "ephemeralContainerStatuses",
    mayLeave: (container: ContainerStatus) => boolean,
  ) => validateTransition(status[field] ?? [], old[field] ?? [], at.child(field), mayLeave);
  const restarts = ({ state }: ContainerStatus) =>
    spec.restartPolicy === "Always" || (spec.restartPolicy === "OnFailure" && state.terminated?.exitCode !== 0);
  return [
    ...check("containerStatuses", (one) => restarts(one) || hasOwnRestarts(spec.containers, one.name)),
    ...check(
      "initContainerStatuses",
      (one) => restarts(one) || isSidecarName(one.name) || hasOwnRestarts(spec.initContainers ?? [], one.name),
    ),
    ...check("ephemeralContainerStatuses", () => false),
  ];
}

function hasOwnRestarts(containers: readonly { name: string; restartPolicy?: string }[], name: string): boolean {
  return containers.some((one) => one.name === name && one.restartPolicy !== undefined);
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

function validateAddresses(addresses: readonly { ip: string }[], at: FieldPath): FieldError[] {
  const errors = addresses.flatMap(({ ip }, index) => validateIp(ip, at.index(index)));
  if (addresses.length < 2) return errors;
  const families = new Set(addresses.map(({ ip }) => ip.includes(":")));
  if (families.size < 2 || addresses.length > 2) {
    errors.push(invalid(at, addresses, "may specify no more than one IP for each IP family"));
  }
  for (const [index, address] of addresses.entries()) {
    const isRepeated = addresses.slice(0, index).some(({ ip }) => ip === address.ip);
    if (isRepeated) errors.push(duplicate(at.index(index), address));
  }
  return errors;
}
