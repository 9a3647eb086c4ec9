// Validates the request policy of a device's capacity.
import type {
  CapacityRequestPolicy,
  CapacityRequestPolicyRange,
  DeviceCapacity,
} from "../../../shared/k8s/api/resource-v1.ts";
import { type FieldError, type FieldPath, forbidden, invalid, required } from "../../../shared/k8s/field.ts";
import {
  type Quantity,
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityValue,
  zeroQuantity,
} from "../../../shared/k8s/quantity.ts";
import { validateSet } from "./device-claim.ts";

const maxOptions = 10;

export function validateCapacity(
  { value, requestPolicy }: DeviceCapacity,
  isShared: boolean,
  at: FieldPath,
): FieldError[] {
  if (!requestPolicy) return [];
  const where = at.child("requestPolicy");
  if (!isShared) return [forbidden(where, "allowMultipleAllocations must be true")];
  return validatePolicy(requestPolicy, read(value), where);
}

function validatePolicy(
  { default: defaultText, validValues = [], validRange }: CapacityRequestPolicy,
  all: Quantity,
  at: FieldPath,
) {
  if (validValues.length && validRange) {
    const both = 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    return [forbidden(at, both)];
  }
  const where = at.child("default");
  if (validValues.length) {
    if (defaultText === undefined) return [required(where, "required when validValues is defined")];
    return validateOptions(validValues.map(read), read(defaultText), all, at.child("validValues"));
  }
  if (!validRange) return [];
  if (defaultText === undefined) return [required(where, "required when validRange is defined")];
  return validateRange(validRange, read(defaultText), all, at.child("validRange"));
}

function validateOptions(
  options: readonly Quantity[],
  defaultQuantity: Quantity,
  all: Quantity,
  at: FieldPath,
): FieldError[] {
  const errors = options.flatMap((option, index) => {
    const before = options[index - 1];
    const isUnsorted = before !== undefined && compareQuantities(before, option) > 0;
    return isUnsorted
      ? [invalid(at.index(index), formatQuantity(option), "values must be sorted in ascending order")]
      : [];
  });
  const key = (option: Quantity) => String(quantityValue(formatQuantity(option)));
  const checked = validateSet(options, maxOptions, at, key, (option, where) => {
    const why = `option is larger than capacity value: ${formatQuantity(all)}`;
    return compareQuantities(option, all) > 0 ? [invalid(where, formatQuantity(option), why)] : [];
  });
  errors.push(...checked);
  const isOption =
    options.length <= maxOptions && options.some((option) => compareQuantities(option, defaultQuantity) === 0);
  if (isOption) return errors;
  return [
    ...errors,
    invalid(at, formatQuantity(defaultQuantity), "default value is not valid according to the requestPolicy"),
  ];
}

function validateRange(
  { min, max, step }: CapacityRequestPolicyRange,
  defaultQuantity: Quantity,
  all: Quantity,
  at: FieldPath,
) {
  if (min === undefined) return [required(at.child("min"), "required when validRange is defined")];
  const errors: FieldError[] = [];
  const least = read(min);
  const refuseIfLess = (a: Quantity, b: Quantity, field: string, value: Quantity, why: string) => {
    if (compareQuantities(a, b) < 0) errors.push(invalid(at.child(field), formatQuantity(value), why));
  };
  const text = { all: formatQuantity(all), min: formatQuantity(least) };
  refuseIfLess(all, least, "min", least, `min is larger than capacity value: ${text.all}`);
  refuseIfLess(defaultQuantity, least, "min", defaultQuantity, `default is less than min: ${text.min}`);
  if (max !== undefined) {
    const most = read(max);
    const mostText = formatQuantity(most);
    refuseIfLess(most, least, "max", least, `min is larger than max: ${mostText}`);
    refuseIfLess(all, most, "max", most, `max is larger than capacity value: ${text.all}`);
    refuseIfLess(most, defaultQuantity, "max", defaultQuantity, `default is more than max: ${mostText}`);
  }
  if (step === undefined) return errors;
  const stride = read(step);
  const added = addQuantities(least, stride);
  refuseIfLess(
    all,
    added,
    "step",
    stride,
    `one step ${formatQuantity(added)} is larger than capacity value: ${text.all}`,
  );
  for (const value of [defaultQuantity, ...(max === undefined ? [] : [read(max)])]) {
    const isMultiple = (toInteger(value) - toInteger(least)) % (toInteger(stride) || 1) === 0;
    const why = `value is not a multiple of a given step (${formatQuantity(stride)}) from (${text.min})`;
    if (!isMultiple) errors.push(invalid(at.child("step"), formatQuantity(value), why));
  }
  return errors;
}

function toInteger(quantity: Quantity): number {
  return quantityValue(formatQuantity(quantity));
}

function read(text: string): Quantity {
  return parseQuantity(text) ?? zeroQuantity;
}
