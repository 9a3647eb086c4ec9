// What the spec of a job must be.
import type { JobSpec } from "../../../shared/k8s/api/batch-v1.ts";
import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  notSupportedInOrder,
  required,
} from "../../../shared/k8s/field.ts";
import { selectorFrom } from "../../../shared/k8s/labels.ts";
import { validateNonNegative } from "../../../shared/k8s/validate-meta.ts";
import { validateLabelSelectorValues } from "../pods/checks.ts";
import { validatePodTemplate } from "../pods/pod-template.ts";
import { isSelector, labelMismatch } from "../workloads/validate-template.ts";
import { validateManagedBy } from "./managed-by.ts";
import { validateIndexed } from "./validate-indexed.ts";
import { validatePodFailurePolicy, validateSuccessPolicy } from "./validate-policies.ts";

const completionModes = ["NonIndexed", "Indexed"];
const counts = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
] as const;

/** Upstream's `ValidateJobSpec`. */
export function validateJobSpec(spec: JobSpec, at: FieldPath): FieldError[] {
  const { selector, template } = spec;
  const errors = validateJobSpecAlone(spec, at);
  const where = at.child("selector");
  errors.push(...(selector ? validateLabelSelectorValues(selector, where) : [required(where)]));
  if (isSelector(selector) && !selectorFrom(selector).matches(template.metadata.labels)) {
    errors.push(labelMismatch(template, at.child("template")));
  }
  return errors;
}

/** Without the selector, which the template of a CronJob has not yet. */
export function validateJobSpecAlone(spec: JobSpec, at: FieldPath): FieldError[] {
  const { completionMode, backoffLimitPerIndex, maxFailedIndexes, managedBy } = spec;
  const errors = counts.flatMap((field) => validateNonNegative(spec[field], at.child(field)));
  if (maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    errors.push(required(at.child("backoffLimitPerIndex"), "when maxFailedIndexes is specified"));
  }
  if (managedBy !== undefined) errors.push(...validateManagedBy(managedBy, at.child("managedBy")));
  if (completionMode !== undefined && !completionModes.includes(completionMode)) {
    errors.push(notSupportedInOrder(at.child("completionMode"), completionMode, completionModes));
  }
  if (completionMode === "Indexed") errors.push(...validateIndexed(spec, at));
  if (completionMode === undefined || completionMode === "NonIndexed") {
    for (const field of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
      const value = spec[field];
      if (value !== undefined) errors.push(invalid(at.child(field), value, "requires indexed completion mode"));
    }
  }
  errors.push(...validatePodFailurePolicy(spec, at.child("podFailurePolicy")));
  errors.push(...validateSuccessPolicy(spec, at.child("successPolicy")));
  errors.push(...validateReplacement(spec, at.child("podReplacementPolicy")));
  errors.push(...validatePodTemplate(spec.template, at.child("template")));
  return [...errors, ...validateRestartPolicy(spec, at.child("template", "spec", "restartPolicy"))];
}

function validateReplacement({ podReplacementPolicy: policy, podFailurePolicy }: JobSpec, at: FieldPath): FieldError[] {
  const supported = podFailurePolicy ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  return policy === undefined || supported.includes(policy) ? [] : [notSupported(at, policy, supported)];
}

/** What is not given is Always by default, which no job can end with. */
function validateRestartPolicy({ template, podFailurePolicy }: JobSpec, at: FieldPath): FieldError[] {
  const policy = template.spec.restartPolicy ?? "Always";
  if (policy === "Always") return [required(at, 'valid values: "OnFailure", "Never"')];
  if (policy !== "OnFailure" && policy !== "Never") return [notSupportedInOrder(at, policy, ["OnFailure", "Never"])];
  if (!podFailurePolicy || policy === "Never") return [];
  return [invalid(at, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}
