// Validates the spec of a job.
import type { JobSpec } from "../../../../../shared/k8s/api/batch-v1.ts";
import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  notSupportedInOrder,
  required,
  tooLong,
} from "../../../../../shared/k8s/field.ts";
import { labelSelectorAsSelector } from "../../../../../shared/k8s/selectors/labels.ts";
import { validateNonNegative } from "../../../../../shared/k8s/validate-meta.ts";
import { validateLabelSelectorValues, each } from "../../../common/checks.ts";
import { validatePodTemplateSpec } from "../../../core/pod/template.ts";
import { isSelector, labelMismatch } from "../../../apps/template-validation.ts";
import { validatePodFailurePolicy, validateSuccessPolicy } from "./policies.ts";
import { utf8Length } from "../../../../../shared/base/utf8.ts";
import { dns1123Subdomain } from "../../../../../shared/k8s/names.ts";

const parallelismMax = 100_000;
const failedIndexesMax = 100_000;
const completionsSoft = 100_000;
/** The maximum parallelism and number of failed indexes above the soft limit of completions. */
const manyCompletionsMax = 10_000;

const bytesMax = 63;
const pathForm = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const pathPattern = new RegExp(`^${pathForm}$`);

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

export function validateJobSpec(spec: JobSpec, at: FieldPath): FieldError[] {
  const { selector, template } = spec;
  const errors = validateJobSpecAlone(spec, at);
  const where = at.child("selector");
  errors.push(...(selector ? validateLabelSelectorValues(selector, where) : [required(where)]));
  if (isSelector(selector) && !labelSelectorAsSelector(selector).matches(template.metadata.labels)) {
    errors.push(labelMismatch(template, at.child("template")));
  }
  return errors;
}

/** Validates the spec without the selector, which the template of a CronJob does not have. */
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
  errors.push(...validatePodTemplateSpec(spec.template, at.child("template")));
  return [...errors, ...validateRestartPolicy(spec, at.child("template", "spec", "restartPolicy"))];
}

function validateReplacement({ podReplacementPolicy: policy, podFailurePolicy }: JobSpec, at: FieldPath): FieldError[] {
  const supported = podFailurePolicy ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  return policy === undefined || supported.includes(policy) ? [] : [notSupported(at, policy, supported)];
}

/** Validates the restart policy. The default is Always, which no job may have. */
function validateRestartPolicy({ template, podFailurePolicy }: JobSpec, at: FieldPath): FieldError[] {
  const policy = template.spec.restartPolicy ?? "Always";
  if (policy === "Always") return [required(at, 'valid values: "OnFailure", "Never"')];
  if (policy !== "OnFailure" && policy !== "Never") return [notSupportedInOrder(at, policy, ["OnFailure", "Never"])];
  if (!podFailurePolicy || policy === "Never") return [];
  return [invalid(at, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

function validateManagedBy(value: string, at: FieldPath): FieldError[] {
  const errors = validateDomainPrefixedPath(value, at);
  return utf8Length(value) > bytesMax ? [...errors, tooLong(at, bytesMax)] : errors;
}

function validateDomainPrefixedPath(value: string, at: FieldPath): FieldError[] {
  if (!value) return [required(at)];
  const slash = value.indexOf("/");
  const [host, path] = [value.slice(0, Math.max(0, slash)), value.slice(slash + 1)];
  if (slash < 0 || !host || !path) {
    return [invalid(at, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const errors = each(dns1123Subdomain(host), at, host);
  if (pathPattern.test(path)) return errors;
  return [...errors, invalid(at, path, `Invalid path (regex used for validation is '${pathForm}')`)];
}

function validateIndexed(spec: JobSpec, at: FieldPath): FieldError[] {
  const { completions, parallelism, maxFailedIndexes, backoffLimitPerIndex } = spec;
  const [parallelismAt, failedAt] = [at.child("parallelism"), at.child("maxFailedIndexes")];
  const errors: FieldError[] = [];
  if (completions === undefined) errors.push(required(at.child("completions"), "when completion mode is Indexed"));
  if (parallelism !== undefined && parallelism > parallelismMax) {
    const why = `must be less than or equal to ${parallelismMax} when completion mode is Indexed`;
    errors.push(invalid(parallelismAt, parallelism, why));
  }
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions) {
    errors.push(invalid(failedAt, maxFailedIndexes, "must be less than or equal to completions"));
  }
  if (maxFailedIndexes !== undefined && maxFailedIndexes > failedIndexesMax) {
    errors.push(invalid(failedAt, maxFailedIndexes, `must be less than or equal to ${failedIndexesMax}`));
  }
  if (completions === undefined || completions <= completionsSoft || backoffLimitPerIndex === undefined) return errors;
  const why = `must be less than or equal to ${manyCompletionsMax} when completions are above ${completionsSoft} and used with backoff limit per index`;
  if (maxFailedIndexes === undefined) {
    errors.push(required(failedAt, `must be specified when completions is above ${completionsSoft}`));
  }
  if (parallelism !== undefined && parallelism > manyCompletionsMax) {
    errors.push(invalid(parallelismAt, parallelism, why));
  }
  if (maxFailedIndexes !== undefined && maxFailedIndexes > manyCompletionsMax) {
    errors.push(invalid(failedAt, maxFailedIndexes, why));
  }
  return errors;
}
