// Expressions that narrow down which requests a webhook or a policy is for.
import type { MatchCondition } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import { type FieldError, type FieldPath, duplicate, required, tooMany } from "../../../shared/k8s/field.ts";
import { qualifiedName } from "../../../shared/k8s/names.ts";
import { each } from "../common/checks.ts";
import { compileExpression, expressionErrors, outcomes } from "./expressions.ts";

const max = 64;

/** `hasParams`: of a policy that has parameters. */
export function validateMatchConditions(
  conditions: readonly MatchCondition[],
  at: FieldPath,
  hasParams = false,
): FieldError[] {
  const errors = conditions.length > max ? [tooMany(at, conditions.length, max)] : [];
  // Past the bound they are refused in any case, and reading an expression takes time.
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
    const isRepeated = conditions.slice(0, index).some((one) => one.name === name);
    if (isRepeated) errors.push(duplicate(where.child("name"), name));
  });
  return errors;
}
