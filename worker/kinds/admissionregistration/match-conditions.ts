// Validates the match conditions of webhooks and policies.
import type { MatchCondition } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import { type FieldError, type FieldPath, duplicate, required, tooMany } from "../../../shared/k8s/field.ts";
import { qualifiedName } from "../../../shared/k8s/names.ts";
import { each } from "../common/checks.ts";
import { compileExpression, expressionErrors, outcomes } from "./expressions.ts";

const max = 64;

/** Validates match conditions. `hasParams` is true for a policy with parameters. */
export function validateMatchConditions(
  conditions: readonly MatchCondition[],
  at: FieldPath,
  hasParams = false,
): FieldError[] {
  const errors = conditions.length > max ? [tooMany(at, conditions.length, max)] : [];
  // Conditions beyond the limit are rejected anyway, and compiling them takes time.
  conditions.slice(0, max).forEach(({ name, expression }, index) => {
    const where = at.index(index);
    const source = expression.trim();
    if (!source) errors.push(required(where.child("expression")));
    else {
      const compiled = compileExpression(source, { hasParams, hasAuthorizer: true }, outcomes.condition);
      errors.push(...expressionErrors(compiled, where.child("expression")));
    }
    if (!name) {
      errors.push(required(where.child("name")));
      return;
    }
    errors.push(...each(qualifiedName(name), where.child("name"), name));
    const isRepeated = conditions.slice(0, index).some((condition) => condition.name === name);
    if (isRepeated) errors.push(duplicate(where.child("name"), name));
  });
  return errors;
}
