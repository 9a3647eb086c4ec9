// Validates the backends of an Ingress: a service port, or another object.
import type { TypedLocalObjectReference } from "../../../shared/k8s/api/core-v1.ts";
import type { IngressBackend, IngressServiceBackend } from "../../../shared/k8s/api/networking-v1.ts";
import { type FieldError, type FieldPath, invalid, required } from "../../../shared/k8s/field.ts";
import { dns1123Label, dns1123Subdomain, pathSegmentName, portName, portNumber } from "../../../shared/k8s/names.ts";
import { each } from "../common/checks.ts";

export function validateBackend({ service, resource }: IngressBackend, at: FieldPath): FieldError[] {
  if (service && resource) return [invalid(at, "", "cannot set both resource and service backends")];
  if (resource) return validateReference(resource, at.child("resource"));
  return service ? validateService(service, at) : [invalid(at, "", "resource or service backend is required")];
}

/** Validates a reference with group, kind and name. */
export function validateReference({ apiGroup, kind, name }: TypedLocalObjectReference, at: FieldPath): FieldError[] {
  const group = apiGroup === undefined ? [] : each(dns1123Subdomain(apiGroup), at.child("apiGroup"), apiGroup);
  return [...group, ...validateSegment(kind, at.child("kind")), ...validateSegment(name, at.child("name"))];
}

/** Validates a required path segment. */
export function validateSegment(value: string | undefined, at: FieldPath): FieldError[] {
  return value ? each(pathSegmentName(value), at, value) : [required(at)];
}

/** Validates a service. Upstream reports errors of the port at the backend. */
function validateService({ name, port }: IngressServiceBackend, at: FieldPath): FieldError[] {
  const nameAt = at.child("service", "name");
  const portAt = at.child("service", "port");
  const errors = name ? each(dns1123Label(name), nameAt, name) : [required(nameAt)];
  if (port.name && port.number) return [...errors, invalid(at, "", "cannot set both port name & port number")];
  if (port.name) return [...errors, ...each(portName(port.name), portAt.child("name"), port.name)];
  if (port.number) return [...errors, ...each(portNumber(port.number), portAt.child("number"), port.number)];
  return [...errors, required(at, "port name or number is required")];
}
