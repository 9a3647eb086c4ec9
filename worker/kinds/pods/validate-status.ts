// What a status update may say of a pod: upstream's `ValidatePodStatusUpdate`.
import type { ContainerStatus, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, forbidden, invalid, path } from "../../../shared/k8s/field.ts";
import { dns1123Subdomain, qualifiedName } from "../../../shared/k8s/names.ts";
import { validateImmutable } from "../../../shared/k8s/validate-meta.ts";
import { internalForm } from "../internal-form.ts";
import { validateIp } from "../network/validate-ip.ts";
import { each } from "./checks.ts";
import { isSidecar } from "./resources.ts";
import { validateClaimStatuses } from "./validate-claim-statuses.ts";
import { validateContainerStatuses } from "./validate-container-statuses.ts";

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

function validateAddresses(addresses: readonly { ip: string }[], at: FieldPath, type: string): FieldError[] {
  const errors = addresses.flatMap(({ ip }, index) => validateIp(ip, at.index(index)));
  const families = new Set(addresses.map(({ ip }) => ip.includes(":")));
  if (addresses.length < 2 || addresses.length === families.size) return errors;
  const printed = addresses.map((address) => internalForm(type, address));
  return [...errors, invalid(at, printed, "may specify no more than one IP for each IP family")];
}
