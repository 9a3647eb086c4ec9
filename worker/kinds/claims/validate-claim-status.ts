// What a write to a claim's status must keep to.
import type { PersistentVolumeClaim } from "../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, invalid, notSupported, path, required } from "../../../shared/k8s/field.ts";
import { qualifiedName } from "../../../shared/k8s/names.ts";
import { quantityValue } from "../../../shared/k8s/quantity.ts";
import { each } from "../pods/checks.ts";
import { isNativeResource } from "../pods/resources.ts";
import { validateResourceQuantity } from "../pods/validate-resources.ts";

const resizeStatuses = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizePending",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
];

export function validateClaimStatus({ spec, status }: PersistentVolumeClaim): FieldError[] {
  const errors: FieldError[] = [];
  if (!spec.accessModes?.length) errors.push(required(path("Spec", "accessModes")));
  const capacityAt = path("status", "capacity");
  for (const [name, text] of Object.entries(status.capacity ?? {})) {
    errors.push(...validateBasicQuantity(text, capacityAt.key(name)));
  }
  const statusesAt = path("status", "allocatedResourceStatuses");
  for (const [name, value] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    errors.push(...validateResourceKey(name, statusesAt));
    // Upstream prints the key here, not the value.
    if (!resizeStatuses.includes(value)) errors.push(notSupported(statusesAt, name, resizeStatuses));
  }
  const allocatedAt = path("status", "allocatedResources");
  for (const [name, text] of Object.entries(status.allocatedResources ?? {})) {
    const wrong = validateResourceKey(name, allocatedAt);
    if (wrong.length === 0) wrong.push(...validateBasicQuantity(text, allocatedAt.key(name)));
    if (wrong.length === 0) wrong.push(...validateResourceQuantity("storage", text, allocatedAt.key(name)));
    errors.push(...wrong);
  }
  return errors;
}

/** Upstream's `validateBasicResource`. */
export function validateBasicQuantity(text: string, at: FieldPath): FieldError[] {
  const value = quantityValue(text);
  return value < 0 ? [invalid(at, value, "must be a valid resource quantity")] : [];
}

function validateResourceKey(name: string, at: FieldPath): FieldError[] {
  const wrong = each(qualifiedName(name), at, name);
  if (wrong.length > 0 || !isNativeResource(name) || name === "storage") return wrong;
  return [notSupported(at, name, ["storage"])];
}
