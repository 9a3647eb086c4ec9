// Validation functions that many kinds share.
import type { Container, EphemeralContainer, PodSpec } from "../../../shared/k8s/api/core-v1.ts";
import type { LabelSelector } from "../../../shared/k8s/api/meta-v1.ts";
import { type FieldError, type FieldPath, invalid, notSupported, required } from "../../../shared/k8s/field.ts";
import { labelValue, portName, portNumber } from "../../../shared/k8s/names.ts";
import { validateLabelSelector } from "../../../shared/k8s/validate-meta.ts";

/** Returns an `Invalid value` error for each message. */
export function each(messages: readonly string[], path: FieldPath, value: unknown): FieldError[] {
  return messages.map((message) => invalid(path, value, message));
}

export function requireNonEmpty(value: unknown, path: FieldPath, detail = ""): FieldError[] {
  return value === undefined || value === "" ? [required(path, detail)] : [];
}

export function oneOf(value: string, path: FieldPath, supported: readonly string[]): FieldError[] {
  return supported.includes(value) ? [] : [notSupported(path, value, supported)];
}

export function portNumberOrName(port: number | string, path: FieldPath): FieldError[] {
  return each(typeof port === "number" ? portNumber(port) : portName(port), path, port);
}

/** Returns every container of a pod with its path, in upstream's order. */
export function containersWithPaths(
  spec: PodSpec,
  path: FieldPath,
): { container: Container | EphemeralContainer; at: FieldPath }[] {
  const lists = ["initContainers", "containers", "ephemeralContainers"] as const;
  return lists.flatMap((list) =>
    (spec[list] ?? []).map((container, index) => ({ container, at: path.child(list).index(index) })),
  );
}

/** Validates a selector whose values must be label values. */
export function validateLabelSelectorValues(selector: LabelSelector | undefined, path: FieldPath): FieldError[] {
  const errors = validateLabelSelector(selector, path);
  for (const [index, { values = [] }] of (selector?.matchExpressions ?? []).entries()) {
    for (const [at, value] of values.entries()) {
      const valueAt = path.child("matchExpressions").index(index).child("values").index(at);
      errors.push(...each(labelValue(value), valueAt, value));
    }
  }
  return errors;
}

export const protocols: readonly string[] = ["SCTP", "TCP", "UDP"];

export function validateProtocol(protocol: string | undefined, path: FieldPath): FieldError[] {
  return protocol ? oneOf(protocol, path, protocols) : [required(path)];
}
