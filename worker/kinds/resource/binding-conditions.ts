// Conditions that a device must have, or must not have, before a pod is bound to it.
import { type FieldError, type FieldPath, duplicate, invalid } from "../../../shared/k8s/field.ts";
import { qualifiedName } from "../../../shared/k8s/names.ts";
import { each } from "../common/checks.ts";
import { validateSlice } from "./names.ts";

const max = 4;

export interface BindingConditions {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

export function validateBindingConditions(given: BindingConditions, at: FieldPath): FieldError[] {
  const { bindingConditions: wanted = [], bindingFailureConditions: unwanted = [] } = given;
  const [wantedAt, unwantedAt] = [at.child("bindingConditions"), at.child("bindingFailureConditions")];
  const errors = [
    ...validateSlice(wanted, max, wantedAt, (one, where) => each(qualifiedName(one), where, one)),
    ...validateSlice(unwanted, max, unwantedAt, (one, where) => each(qualifiedName(one), where, one)),
    ...repeated(wanted, wantedAt),
  ];
  unwanted.forEach((one, index) => {
    const where = unwantedAt.index(index);
    if (unwanted.indexOf(one) < index) errors.push(duplicate(where, one));
    if (wanted.includes(one)) {
      errors.push(invalid(where, one, "bindingFailureConditions must not overlap with bindingConditions"));
    }
  });
  if (!wanted.length && unwanted.length) {
    const why = "bindingConditions are required to use bindingFailureConditions";
    errors.push(invalid(wantedAt, given.bindingConditions, why));
  }
  if (wanted.length && !unwanted.length) {
    const why = "bindingFailureConditions are required to use bindingConditions";
    errors.push(invalid(unwantedAt, given.bindingFailureConditions, why));
  }
  return errors;
}

function repeated(values: readonly string[], at: FieldPath): FieldError[] {
  return values.flatMap((one, index) => (values.indexOf(one) < index ? [duplicate(at.index(index), one)] : []));
}
