// The kind ValidatingAdmissionPolicy of admissionregistration.k8s.io.
import type {
  AuditAnnotation,
  ExpressionWarning,
  ValidatingAdmissionPolicy,
  Validation,
} from "../../../shared/k8s/api/admissionregistration-v1.ts";
import { utf8Length } from "../../../shared/base/utf8.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  invalid,
  notSupported,
  path,
  required,
} from "../../../shared/k8s/field.ts";
import { qualifiedName } from "../../../shared/k8s/names.ts";
import { validateMatchConditions } from "./match-conditions.ts";
import {
  failurePolicies,
  validateChoice,
  validateConstraints,
  validateParamKind,
  validateVariables,
} from "./policies.ts";
import { type Scope, compileExpression, compileVariables, expressionErrors, outcomes } from "./expressions.ts";
import { policyBehaviour } from "./policy-behaviour.ts";
import { type Kind, defineKind } from "../kind.ts";
import { each } from "../common/checks.ts";
import { statusAlone } from "../common/status-metadata.ts";
import { validateConditions } from "../../../shared/k8s/validate-conditions.ts";

type Policy = ValidatingAdmissionPolicy;

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const max = { annotations: 20, valueBytes: 5 * 1024 };
const atLeastOne = "validations or auditAnnotations must contain at least one item";

export const validatingAdmissionPolicies: Kind<Policy> = defineKind<Policy>(
  "admissionregistration.k8s.io",
  "v1",
  "validatingadmissionpolicies",
  {
    ...policyBehaviour<Policy>(() => validatingAdmissionPolicies, specErrors, {
      name: "Validations",
      description: "How many validations the policy has.",
      cell: ({ spec }) => spec.validations?.length ?? 0,
    }),
    ...statusAlone<Policy>(({ status }) => [
      ...(status.typeChecking?.expressionWarnings ?? []).flatMap(validateWarning),
      ...validateConditions(status.conditions ?? [], path("status", "conditions")),
    ]),
  },
);

function specErrors({ metadata, spec }: Policy): FieldError[] {
  const at = path("spec");
  const { paramKind, matchConditions = [], variables = [], validations = [], auditAnnotations = [] } = spec;
  const declared = { hasParams: paramKind !== undefined, hasAuthorizer: true };
  const scope: Scope = variables.length
    ? { ...declared, variables: compileVariables(variables, declared).types }
    : declared;
  const errors = [
    ...validateChoice(spec.failurePolicy, at.child("failurePolicy"), failurePolicies),
    ...(paramKind ? validateParamKind(paramKind, at.child("paramKind")) : []),
    ...validateConstraints(spec.matchConstraints, at.child("matchConstraints")),
    ...validateMatchConditions(matchConditions, at.child("matchConditions"), paramKind !== undefined),
    ...validateVariables(variables, declared, at.child("variables")),
  ];
  if (!validations.length && !auditAnnotations.length) {
    errors.push(required(at.child("validations"), atLeastOne), required(at.child("auditAnnotations"), atLeastOne));
  }
  validations.forEach((validation, index) =>
    errors.push(...validateValidation(validation, scope, at.child("validations").index(index))),
  );
  errors.push(...validateAnnotations(auditAnnotations, metadata.name ?? "", scope, at.child("auditAnnotations")));
  return errors;
}

function validateValidation(validation: Validation, scope: Scope, at: FieldPath): FieldError[] {
  const { expression, message = "", messageExpression = "", reason } = validation;
  const errors: FieldError[] = [];
  const empty = "must be non-empty if specified";
  if (!expression.trim()) errors.push(required(at.child("expression"), "expression is not specified"));
  else {
    const compiled = compileExpression(expression, scope, outcomes.condition);
    errors.push(...expressionErrors(compiled, at.child("expression")));
  }
  if (messageExpression && !messageExpression.trim()) {
    errors.push(invalid(at.child("messageExpression"), messageExpression, empty));
  } else if (messageExpression) {
    const compiled = compileExpression(messageExpression, { ...scope, hasAuthorizer: false }, outcomes.message);
    errors.push(...expressionErrors(compiled, at.child("messageExpression")));
  }
  if (message && !message.trim()) errors.push(invalid(at.child("message"), message, empty));
  else if (/[\n\r]/.test(message.trim())) {
    errors.push(invalid(at.child("message"), message, "must not contain line breaks"));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(notSupported(at.child("reason"), reason, reasons));
  }
  return errors;
}

function validateAnnotations(
  annotations: readonly AuditAnnotation[],
  name: string,
  scope: Scope,
  at: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (annotations.length > max.annotations) {
    // Upstream prints its internal structs here, whose fields have no JSON names.
    const printed = annotations.map(({ key, valueExpression }) => ({ Key: key, ValueExpression: valueExpression }));
    errors.push(invalid(at, printed, `must not have more than ${max.annotations} auditAnnotations`));
  }
  // Annotations beyond the limit are rejected anyway, and compiling them takes time.
  annotations.slice(0, max.annotations).forEach(({ key, valueExpression }, index) => {
    const where = at.index(index);
    errors.push(...validateKey(name, key, where.child("key")));
    const value = valueExpression.trim();
    const valueAt = where.child("valueExpression");
    if (!value) errors.push(required(valueAt, "valueExpression is not specified"));
    else if (utf8Length(value) > max.valueBytes) {
      errors.push(required(valueAt, `must not exceed ${max.valueBytes} bytes in length`));
    } else {
      const compiled = compileExpression(value, scope, outcomes.annotation);
      errors.push(...expressionErrors(compiled, valueAt, valueExpression));
    }
    const isRepeated = annotations.slice(0, index).some((annotation) => annotation.key === key);
    if (isRepeated) errors.push(duplicate(where.child("key"), key));
  });
  return errors;
}

/** Validates the key together with the policy's name, which may not be generated yet. */
function validateKey(name: string, key: string, at: FieldPath): FieldError[] {
  if (!name) return [invalid(at, key, "requires metadata.name be non-empty")];
  const full = `${name}/${key}`;
  return each(qualifiedName(full), at, full);
}

function validateWarning({ warning, fieldRef }: ExpressionWarning, index: number): FieldError[] {
  const at = path("status", "typeChecking", "expressionWarnings").index(index);
  return [
    ...(warning ? [] : [required(at.child("warning"))]),
    ...(fieldRef.trim() ? [] : [required(at.child("fieldRef"))]),
  ];
}
