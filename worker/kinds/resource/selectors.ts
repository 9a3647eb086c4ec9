// Validates the selectors, tolerations and configuration of device requests.
import { utf8Length } from "../../../shared/base/utf8.ts";
import type {
  DeviceSelector,
  DeviceToleration,
  OpaqueDeviceConfiguration,
} from "../../../shared/k8s/api/resource-v1.ts";
import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupportedInOrder,
  required,
  tooLong,
} from "../../../shared/k8s/field.ts";
import { labelValue, qualifiedName } from "../../../shared/k8s/names.ts";
import { each } from "../common/checks.ts";
import { validateCsiDriverName } from "../storage/parameters.ts";
import { compileDeviceExpression } from "./device-expression.ts";
import { validateSlice } from "./names.ts";

const max = { selectors: 32, expressionBytes: 10 * 1024, parameterBytes: 10 * 1024 };
export const taintEffects = ["NoExecute", "NoSchedule", "None"];

export function validateSelectors(selectors: readonly DeviceSelector[], at: FieldPath): FieldError[] {
  return validateSlice(selectors, max.selectors, at, ({ cel }, where) => {
    if (!cel) return [required(where.child("cel"))];
    const expressionAt = where.child("cel", "expression");
    if (utf8Length(cel.expression) > max.expressionBytes) return [tooLong(expressionAt, max.expressionBytes)];
    const compiled = compileDeviceExpression(cel.expression);
    return "error" in compiled ? [invalid(expressionAt, cel.expression, compiled.error)] : [];
  });
}

export function validateConfiguration(opaque: OpaqueDeviceConfiguration | undefined, at: FieldPath): FieldError[] {
  const where = at.child("opaque");
  if (!opaque) return [required(where)];
  return [
    ...validateCsiDriverName(opaque.driver, where.child("driver")),
    ...validateRaw(opaque.parameters, where.child("parameters"), max.parameterBytes),
  ];
}

/** Validates a JSON object with any content. */
export function validateRaw(value: unknown, at: FieldPath, limit: number): FieldError[] {
  if (value === undefined || value === null) return [required(at)];
  if (utf8Length(JSON.stringify(value)) > limit) return [tooLong(at, limit)];
  const isObject = typeof value === "object" && !Array.isArray(value);
  return isObject ? [] : [invalid(at, "<value omitted>", "must be a valid JSON object")];
}

export function validateTolerations(tolerations: readonly DeviceToleration[], at: FieldPath): FieldError[] {
  return tolerations.flatMap((toleration, index) => validateToleration(toleration, at.index(index)));
}

function validateToleration({ key, operator, value = "", effect }: DeviceToleration, at: FieldPath): FieldError[] {
  const errors = key ? each(qualifiedName(key), at.child("key"), key) : [];
  if (operator === "Exists") {
    if (value) errors.push(invalid(at.child("value"), value, "must be empty for operator `Exists`"));
  } else if (operator === "Equal") {
    errors.push(...each(labelValue(value), at.child("value"), value));
  } else if (operator) {
    errors.push(notSupportedInOrder(at.child("operator"), operator, ["Equal", "Exists"]));
  } else {
    errors.push(required(at.child("operator")));
  }
  if (effect && !taintEffects.includes(effect)) {
    errors.push(notSupportedInOrder(at.child("effect"), effect, taintEffects));
  }
  return errors;
}
