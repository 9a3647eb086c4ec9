// The kind LimitRange.
import type { LimitRange, LimitRangeItem } from "../../../shared/k8s/api/core-v1.ts";
import { createdAtColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  forbidden,
  invalid,
  path,
  required,
} from "../../../shared/k8s/field.ts";
import { qualifiedName } from "../../../shared/k8s/names.ts";
import {
  type Quantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
} from "../../../shared/k8s/quantity.ts";
import { each } from "../common/checks.ts";
import { setDefaultsResourceList } from "./pod/resource-defaults.ts";
import { isOvercommitAllowed } from "./pod/resources.ts";
import { validateContainerResourceName, validateResourceName } from "./pod/validation/resources.ts";
import { repeatsOf } from "../../../shared/k8s/repeats.ts";

const lists = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;
type List = (typeof lists)[number];
const types = ["Container", "PersistentVolumeClaim", "Pod"];
type Words = readonly [string, string];
interface Bound {
  readonly quantity: Quantity;
  readonly text: string;
}
/** The largest value whose thousandths fit upstream's integers. */
const maxMilliValue = 2 ** 63 / 1000;

export const limitRanges = defineKind<LimitRange>("", "v1", "limitranges", {
  allowCreateOnUpdate: true,
  defaults({ spec }) {
    for (const item of spec.limits) defaultLimits(item);
  },
  prepareForCreate({ metadata }, { random }) {
    metadata.name ||= random.uuid();
  },
  validateUpdate: (_next, _previous, check) => [...check.objectMeta(), ...check.validate()],
  validate: ({ spec }) => validateLimits(spec.limits),
  columns: [nameColumn, createdAtColumn],
});

/** Sets the defaults of a container: the maximum is the default limit, which is the default request; then the minimum. */
function defaultLimits(item: LimitRangeItem): void {
  if (item.type === "Container") {
    item.default = { ...item.max, ...item.default };
    item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
  }
  for (const list of lists) setDefaultsResourceList(item[list]);
}

function validateLimits(items: readonly LimitRangeItem[]): FieldError[] {
  const at = path("spec", "limits");
  const repeats = repeatsOf(items, ({ type }) => type);
  return items.flatMap((item, index) => {
    const where = at.index(index);
    return [
      ...validateType(item.type, where.child("type")),
      ...(repeats[index] ? [duplicate(where.child("type"), item.type)] : []),
      ...validateNames(item, where),
      ...resourcesOf(item).flatMap((name) => validateBounds(name, item, where)),
    ];
  });
}

function validateType(type: string, at: FieldPath): FieldError[] {
  const wrong = each(qualifiedName(type), at, type);
  if (wrong.length > 0 || type.includes("/") || types.includes(type)) return wrong;
  return [invalid(at, type, "must be a standard limit type or fully qualified")];
}

function validateNames(item: LimitRangeItem, at: FieldPath): FieldError[] {
  const isPod = item.type === "Pod";
  const check = isPod || item.type === "Container" ? validateContainerResourceName : validateResourceName;
  const names = (list: List) => Object.keys(item[list] ?? {}).flatMap((name) => check(name, at.child(list).key(name)));
  const defaults = (list: List) => {
    if (!isPod) return names(list);
    const isGiven = Object.keys(item[list] ?? {}).length > 0;
    return isGiven ? [forbidden(at.child(list), "may not be specified when `type` is 'Pod'")] : [];
  };
  const needsStorage = item.type === "PersistentVolumeClaim" && !item.min?.storage && !item.max?.storage;
  const why = "either minimum or maximum storage value is required, but neither was provided";
  return [
    ...names("max"),
    ...names("min"),
    ...defaults("default"),
    ...defaults("defaultRequest"),
    ...(needsStorage ? [required(at.child("limits"), why)] : []),
    ...names("maxLimitRequestRatio"),
  ];
}

function resourcesOf(item: LimitRangeItem): string[] {
  const counted = item.type === "Pod" ? (["max", "min", "maxLimitRequestRatio"] as const) : lists;
  return [...new Set(counted.flatMap((list) => Object.keys(item[list] ?? {})))].sort();
}

/** Validates the relations between the bounds of a resource. */
function validateBounds(name: string, item: LimitRangeItem, at: FieldPath): FieldError[] {
  const isPod = item.type === "Pod";
  const [min, max, ratio] = [of(item.min, name), of(item.max, name), of(item.maxLimitRequestRatio, name)];
  const limit = isPod ? undefined : of(item.default, name);
  const request = isPod ? undefined : of(item.defaultRequest, name);
  const errors: FieldError[] = [];
  const inOrder = (
    low: Bound | undefined,
    high: Bound | undefined,
    list: List,
    value: Bound | undefined,
    words: Words,
  ) => {
    if (!low || !high || compareQuantities(low.quantity, high.quantity) <= 0) return;
    const why = `${words[0]} value ${low.text} is greater than ${words[1]} value ${high.text}`;
    errors.push(invalid(at.child(list).key(name), value?.text, why));
  };
  inOrder(min, max, "min", min, ["min", "max"]);
  inOrder(min, request, "defaultRequest", request, ["min", "default request"]);
  inOrder(request, max, "defaultRequest", request, ["default request", "max"]);
  inOrder(request, limit, "defaultRequest", request, ["default request", "default limit"]);
  inOrder(min, limit, "default", min, ["min", "default"]);
  inOrder(limit, max, "default", max, ["default", "max"]);
  if (ratio) errors.push(...validateRatio(ratio, min, max, at.child("maxLimitRequestRatio").key(name)));
  const isFirm = !isOvercommitAllowed(name) && limit && request;
  if (isFirm && compareQuantities(limit.quantity, request.quantity) !== 0) {
    const why = `default value ${limit.text} must equal to defaultRequest value ${request.text} in ${name}`;
    errors.push(invalid(at.child("defaultRequest").key(name), request.text, why));
  }
  return errors;
}

function of(list: Readonly<Record<string, string>> | undefined, name: string): Bound | undefined {
  const quantity = parseQuantity(list?.[name] ?? "");
  return quantity && { quantity, text: formatQuantity(quantity) };
}

function validateRatio(ratio: Bound, min: Bound | undefined, max: Bound | undefined, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (ratio.quantity.nanos < 1_000_000_000n) errors.push(invalid(at, ratio.text, `ratio ${ratio.text} is less than 1`));
  if (!min || !max) return errors;
  const fits = [ratio, min, max].every(({ text }) => quantityValue(text) < maxMilliValue);
  const value = fits ? quantityMilliValue(ratio.text) / 1000 : quantityValue(ratio.text);
  const largest = fits
    ? quantityMilliValue(max.text) / quantityMilliValue(min.text)
    : quantityValue(max.text) / quantityValue(min.text);
  if (value <= largest) return errors;
  const why = `ratio ${ratio.text} is greater than max/min = ${largest.toFixed(6)}`;
  return [...errors, invalid(at, ratio.text, why)];
}
