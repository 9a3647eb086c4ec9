// Validates the binding conditions and binding failure conditions of devices.
import { type FieldError, type FieldPath, duplicate, invalid } from "../../../shared/k8s/field.ts";
import { qualifiedName } from "../../../shared/k8s/names.ts";
import { each } from "../common/checks.ts";
import { validateSlice } from "./names.ts";

const max = 4;

export interface BindingConditions {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

export function validateBindingConditions(device: BindingConditions, at: FieldPath): FieldError[] {
  const { bindingConditions: required = [], bindingFailureConditions: failures = [] } = device;
  const [wantedAt, unwantedAt] = [at.child("bindingConditions"), at.child("bindingFailureConditions")];
  const errors = [
    ...validateSlice(required, max, wantedAt, (condition, where) => each(qualifiedName(condition), where, condition)),
    ...validateSlice(failures, max, unwantedAt, (condition, where) => each(qualifiedName(condition), where, condition)),
    ...duplicateErrors(required, wantedAt),
  ];
  failures.forEach((condition, index) => {
    const where = unwantedAt.index(index);
    if (failures.indexOf(condition) < index) errors.push(duplicate(where, condition));
    if (required.includes(condition)) {
      errors.push(invalid(where, condition, "bindingFailureConditions must not overlap with bindingConditions"));
    }
  });
  if (!required.length && failures.length) {
    const why = "bindingConditions are required to use bindingFailureConditions";
    errors.push(invalid(wantedAt, device.bindingConditions, why));
  }
  if (required.length && !failures.length) {
    const why = "bindingFailureConditions are required to use bindingConditions";
    errors.push(invalid(unwantedAt, device.bindingFailureConditions, why));
  }
  return errors;
}

function duplicateErrors(values: readonly string[], at: FieldPath): FieldError[] {
  return values.flatMap((condition, index) =>
    values.indexOf(condition) < index ? [duplicate(at.index(index), condition)] : [],
  );
}
