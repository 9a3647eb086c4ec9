// Validates the pod failure policy and the success policy of a job.
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
  SuccessPolicy,
  SuccessPolicyRule,
} from "../../../../../shared/k8s/api/batch-v1.ts";
import { utf8Length } from "../../../../../shared/base/utf8.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  invalid,
  invalidWithoutValue,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "../../../../../shared/k8s/field.ts";
import { qualifiedName } from "../../../../../shared/k8s/names.ts";
import { validateNonNegative } from "../../../../../shared/k8s/validate-meta.ts";
import { each } from "../../../common/checks.ts";
import { countIndexes } from "../indexes.ts";

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const statuses = ["False", "True", "Unknown"];
const rulesMax = 20;
const patternsMax = 20;
const exitCodesMax = 255;
const indexesBytesMax = 64 * 1024;

export function validatePodFailurePolicy(spec: JobSpec, at: FieldPath): FieldError[] {
  if (!spec.podFailurePolicy) return [];
  const { rules } = spec.podFailurePolicy;
  const where = at.child("rules");
  const errors = rules.length > rulesMax ? [tooMany(where, rules.length, rulesMax)] : [];
  return [...errors, ...rules.flatMap((rule, index) => validateFailureRule(rule, spec, where.index(index)))];
}

export function validateSuccessPolicy(spec: JobSpec, at: FieldPath): FieldError[] {
  const { successPolicy, completionMode, completions = 0 } = spec;
  if (!successPolicy) return [];
  if (completionMode !== "Indexed") {
    return [invalid(at, internalForm(successPolicy), "requires indexed completion mode")];
  }
  const { rules } = successPolicy;
  const where = at.child("rules");
  const why = "at least one rules must be specified when the successPolicy is specified";
  const errors = rules.length === 0 ? [required(where, why)] : [];
  if (rules.length > rulesMax) errors.push(tooMany(where, rules.length, rulesMax));
  return [...errors, ...rules.flatMap((rule, index) => validateSuccessRule(rule, completions, where.index(index)))];
}

function validateFailureRule(rule: PodFailurePolicyRule, spec: JobSpec, at: FieldPath): FieldError[] {
  const { action, onExitCodes, onPodConditions = [] } = rule;
  const errors = validateChoice(action, actions, at.child("action"));
  if (action === "FailIndex" && spec.backoffLimitPerIndex === undefined) {
    errors.push(invalid(at.child("action"), action, "requires the backoffLimitPerIndex to be set"));
  }
  if (onExitCodes) errors.push(...validateExitCodes(onExitCodes, spec, at.child("onExitCodes")));
  if (onPodConditions.length > 0) errors.push(...validateConditions(onPodConditions, at.child("onPodConditions")));
  if (onExitCodes && onPodConditions.length > 0) {
    errors.push(invalidWithoutValue(at, "specifying both OnExitCodes and OnPodConditions is not supported"));
  }
  if (!onExitCodes && onPodConditions.length === 0) {
    errors.push(invalidWithoutValue(at, "specifying one of OnExitCodes and OnPodConditions is required"));
  }
  return errors;
}

function validateExitCodes(
  { operator, containerName, values }: PodFailurePolicyOnExitCodesRequirement,
  { template: { spec } }: JobSpec,
  at: FieldPath,
): FieldError[] {
  const errors = validateChoice(operator, operators, at.child("operator"));
  const names = [...spec.containers, ...(spec.initContainers ?? [])].map(({ name }) => name);
  if (containerName !== undefined && !names.includes(containerName)) {
    const why = "must be one of the container or initContainer names in the pod template";
    errors.push(invalid(at.child("containerName"), containerName, why));
  }
  const where = at.child("values");
  if (values.length === 0) errors.push(invalid(where, values, "at least one value is required"));
  if (values.length > exitCodesMax) errors.push(tooMany(where, values.length, exitCodesMax));
  for (const [index, value] of values.entries()) {
    if (operator === "In" && value === 0) {
      errors.push(invalid(where.index(index), value, "must not be 0 for the In operator"));
    }
    if (values.indexOf(value) < index) errors.push(duplicate(where.index(index), value));
  }
  const isOrdered = values.every((value, index) => index === 0 || (values[index - 1] ?? 0) <= value);
  return isOrdered ? errors : [...errors, invalid(where, values, "must be ordered")];
}

function validateConditions(patterns: readonly PodFailurePolicyOnPodConditionsPattern[], at: FieldPath): FieldError[] {
  const errors = patterns.length > patternsMax ? [tooMany(at, patterns.length, patternsMax)] : [];
  for (const [index, { type, status }] of patterns.entries()) {
    const where = at.index(index);
    errors.push(...each(qualifiedName(type), where.child("type"), type));
    errors.push(...validateChoice(status, statuses, where.child("status")));
  }
  return errors;
}

function validateChoice(value: string, choices: readonly string[], at: FieldPath): FieldError[] {
  const list = choices.map((choice) => JSON.stringify(choice)).join(" ");
  if (!value) return [required(at, `valid values: [${list}]`)];
  return choices.includes(value) ? [] : [notSupported(at, value, choices)];
}

function validateSuccessRule(rule: SuccessPolicyRule, completions: number, at: FieldPath): FieldError[] {
  const { succeededCount: count, succeededIndexes: indexes } = rule;
  const errors: FieldError[] = [];
  if (count === undefined && indexes === undefined) {
    errors.push(required(at, "at least one of succeededCount or succeededIndexes must be specified"));
  }
  const { total, error } = countIndexes(indexes ?? "", completions);
  const indexesAt = at.child("succeededIndexes");
  if (utf8Length(indexes ?? "") > indexesBytesMax) errors.push(tooLong(indexesAt, indexesBytesMax));
  if (error) errors.push(invalid(indexesAt, indexes, `error parsing succeededIndexes: ${error}`));
  if (count === undefined) return errors;
  const countAt = at.child("succeededCount");
  errors.push(...validateNonNegative(count, countAt));
  const atMost = (most: number, what: string) => {
    if (count > most)
      errors.push(invalid(countAt, count, `must be less than or equal to ${most} (the number of ${what})`));
  };
  atMost(completions, "specified completions");
  if (indexes !== undefined) atMost(total, "indexes in the specified succeededIndexes field");
  return errors;
}

/** Prints upstream's internal struct, whose fields have no JSON names. */
function internalForm({ rules }: SuccessPolicy): unknown {
  return {
    Rules: rules.length
      ? rules.map(({ succeededIndexes, succeededCount }) => ({
          SucceededIndexes: succeededIndexes ?? null,
          SucceededCount: succeededCount ?? null,
        }))
      : null,
  };
}
