// Validates numbers that may be percentages: upstream's `ValidatePositiveIntOrPercent` and related functions.
import { type FieldError, type FieldPath, invalid } from "../../../shared/k8s/field.ts";
import { percentOf } from "../../../shared/k8s/intstr.ts";
import { percent } from "../../../shared/k8s/names.ts";
import { validateNonNegative } from "../../../shared/k8s/validate-meta.ts";

export type Share = number | string;

export function validateShare(value: Share, at: FieldPath): FieldError[] {
  if (typeof value === "number") return validateNonNegative(value, at);
  return percent(value).map((message) => invalid(at, value, message));
}

export function validateNoMoreThanAll(value: Share, at: FieldPath): FieldError[] {
  return (percentOf(value) ?? 0) > 100 ? [invalid(at, value, "must not be greater than 100%")] : [];
}

/** Returns the number that is compared with zero: for a percentage its digits. */
export function shareAmount(value: Share): number {
  return typeof value === "number" ? value : (percentOf(value) ?? Number.parseInt(value, 10)) || 0;
}

/** Prints upstream's internal struct for an unknown strategy type. Its fields have no JSON names. */
export function strategyAsGoStruct(
  type: string | undefined,
  rollingUpdate: Readonly<Record<string, unknown>> | undefined,
) {
  return { Type: type ?? "", RollingUpdate: rollingUpdate ?? null };
}
