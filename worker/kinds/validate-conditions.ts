// What the conditions of a status must be: upstream's `ValidateConditions` for `metav1.Condition`.
import { utf8Length } from "../../shared/base/utf8.ts";
import type { Condition } from "../../shared/k8s/api/meta-v1.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  invalid,
  notSupported,
  required,
  tooLong,
} from "../../shared/k8s/field.ts";
import { conditionReason, qualifiedName } from "../../shared/k8s/names.ts";
import { checked } from "./common/ports.ts";

const statuses = ["False", "True", "Unknown"];
const maxBytes = { reason: 1024, message: 32 * 1024 };

export function validateConditions(conditions: readonly Condition[], at: FieldPath): FieldError[] {
  return conditions.flatMap((condition, index) => {
    const isRepeated = conditions.slice(0, index).some(({ type }) => type === condition.type);
    const where = at.index(index);
    return [
      ...(isRepeated ? [duplicate(where.child("type"), condition.type)] : []),
      ...validateCondition(condition, where),
    ];
  });
}

function validateCondition(condition: Condition, at: FieldPath): FieldError[] {
  const { type, status, observedGeneration = 0, lastTransitionTime, reason, message } = condition;
  const errors = checked(qualifiedName(type), type, at.child("type"));
  if (!statuses.includes(status)) errors.push(notSupported(at.child("status"), status, statuses));
  if (observedGeneration < 0) {
    const where = at.child("observedGeneration");
    errors.push(invalid(where, observedGeneration, "must be greater than or equal to zero"));
  }
  if (!lastTransitionTime) errors.push(required(at.child("lastTransitionTime")));
  if (reason) errors.push(...checked(conditionReason(reason), reason, at.child("reason")));
  else errors.push(required(at.child("reason")));
  if (utf8Length(reason) > maxBytes.reason) errors.push(tooLong(at.child("reason"), maxBytes.reason));
  if (utf8Length(message) > maxBytes.message) errors.push(tooLong(at.child("message"), maxBytes.message));
  return errors;
}
