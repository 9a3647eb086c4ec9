// The validation of metav1.Condition lists: upstream's `ValidateConditions`.
import type { Condition } from "./api/meta-v1.ts";
import { utf8Length } from "../base/utf8.ts";
import { type FieldError, type FieldPath, duplicate, invalid, notSupported, required, tooLong } from "./field.ts";
import { conditionReason, qualifiedName } from "./names.ts";
import { repeatsOf } from "./repeats.ts";

const statuses = ["False", "True", "Unknown"];
const reasonBytesMax = 1024;
const messageBytesMax = 32 * 1024;

export function validateConditions(conditions: readonly Condition[], path: FieldPath): FieldError[] {
  const repeats = repeatsOf(conditions, ({ type }) => type);
  return conditions.flatMap((condition, index) => {
    const at = path.index(index);
    const repeated = repeats[index] ? [duplicate(at.child("type"), condition.type)] : [];
    return [...repeated, ...validateCondition(condition, at)];
  });
}

function validateCondition(condition: Condition, at: FieldPath): FieldError[] {
  const { type, status, observedGeneration = 0, lastTransitionTime, reason, message } = condition;
  const errors = qualifiedName(type).map((text) => invalid(at.child("type"), type, text));
  if (!statuses.includes(status)) errors.push(notSupported(at.child("status"), status, statuses));
  if (observedGeneration < 0) {
    const why = "must be greater than or equal to zero";
    errors.push(invalid(at.child("observedGeneration"), observedGeneration, why));
  }
  if (!lastTransitionTime) errors.push(required(at.child("lastTransitionTime")));
  if (!reason) errors.push(required(at.child("reason")));
  else errors.push(...conditionReason(reason).map((text) => invalid(at.child("reason"), reason, text)));
  if (utf8Length(reason) > reasonBytesMax) errors.push(tooLong(at.child("reason"), reasonBytesMax));
  if (utf8Length(message) > messageBytesMax) errors.push(tooLong(at.child("message"), messageBytesMax));
  return errors;
}
