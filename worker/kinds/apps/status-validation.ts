// Validates the counts in the status of workloads.
import { type FieldError, type FieldPath, invalid } from "../../../shared/k8s/field.ts";
import { validateNonNegative } from "../../../shared/k8s/validate-meta.ts";

export interface Counts {
  readonly [field: string]: number | undefined;
}

export interface CountRules {
  /** The counts that must not exceed `replicas`. */
  readonly noMoreThanReplicas: readonly string[];
  /** The name of `readyReplicas` in upstream's message. Default: `readyReplicas`. */
  readonly readyReplicasInMessage?: string;
}

/** Validates counts: none is negative, and no more replicas are available than ready. */
export function validateCounts(
  counts: Counts,
  { noMoreThanReplicas, readyReplicasInMessage = "readyReplicas" }: CountRules,
  at: FieldPath,
): FieldError[] {
  const { replicas = 0, readyReplicas: ready = 0, availableReplicas: available = 0 } = counts;
  const errors = Object.entries(counts).flatMap(([field, value]) => validateNonNegative(value, at.child(field)));
  for (const field of noMoreThanReplicas) {
    const value = counts[field] ?? 0;
    if (value > replicas) errors.push(invalid(at.child(field), value, "cannot be greater than status.replicas"));
  }
  if (available > ready) {
    errors.push(invalid(at.child("availableReplicas"), available, `cannot be greater than ${readyReplicasInMessage}`));
  }
  return errors;
}

/** Requires that the collision count does not decrease. An absent count prints as 0. */
export function validateCollisionCount(
  next: number | undefined,
  previous: number | undefined,
  at: FieldPath,
): FieldError[] {
  if (previous === undefined || (next !== undefined && next >= previous)) return [];
  return [invalid(at.child("collisionCount"), next ?? 0, "cannot be decremented")];
}
