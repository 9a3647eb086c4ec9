// Attributes: a variable or a value, and the fields, keys and indexes that lead on from it. Each step has a cost.
import { free } from "./pay.ts";
import type { Attribute, PlannedExpr, SimpleAttribute, Planner, Step } from "./planned-expr.ts";
import { type Run, charge } from "./run.ts";
import { type CallExpr, type Expr, operators } from "./syntax/tree.ts";
import {
  type OptionalValue,
  type StructValue,
  type UintValue,
  type Value,
  at,
  fail,
  find,
  isFailure,
  isOptionalValue,
  kindOf,
  noneValue,
  noSuchOverload,
  some,
  typeNameOf,
} from "./values.ts";
import { valueText } from "./value-text.ts";

export function attributeOf(planner: Planner, expr: Expr): Attribute | { readonly constant: Value } {
  const reference = planner.checked.references.get(expr);
  if (reference) {
    if ("type" in reference) return { constant: { kind: "type", name: reference.type.name } };
    const name = reference.variable;
    return { start: (run) => variable(run, name), steps: [], isTest: false };
  }
  if (expr.kind === "select") {
    const step: Step = { key: { constant: expr.field }, isOptional: false };
    const place = withStep(operandOf(planner, expr.operand), step);
    return expr.isTest ? tested(place) : place;
  }
  if (expr.kind !== "call") return { start: () => noSuchOverload, steps: [], isTest: false };
  return expr.name === operators.conditional ? choiceOf(planner, expr) : indexOf(planner, expr);
}

/** Returns the value of an attribute. Charges its steps, and one for reading it. */
export function resolveCharged(attribute: Attribute, run: Run): Value {
  const value = readAttribute(attribute, run);
  if ("condition" in attribute) return value;
  // Reading an attribute costs one; testing for its presence costs nothing.
  if (!attribute.isTest) charge(run, 1);
  return value;
}

function indexOf(planner: Planner, { name, args }: CallExpr): Attribute {
  const [operand, index] = args;
  if (!operand || !index) return { start: () => noSuchOverload, steps: [], isTest: false };
  const indexExpr = planner.planExpr(index);
  const key = indexExpr.constant === undefined ? { computed: indexExpr } : { constant: indexExpr.constant };
  return withStep(operandOf(planner, operand), { key, isOptional: name !== operators.index });
}

function choiceOf(planner: Planner, { args }: CallExpr): Attribute {
  const [condition, then, otherwise] = args.map((arg) => planner.planExpr(arg));
  if (!condition || !then || !otherwise) return { start: () => noSuchOverload, steps: [], isTest: false };
  return { condition, then: asPlace(then), otherwise: asPlace(otherwise) };
}

function operandOf(planner: Planner, expr: Expr): Attribute {
  return asPlace(planner.planExpr(expr));
}

function asPlace({ attribute, evaluate }: PlannedExpr): Attribute {
  return attribute ?? { start: evaluate, steps: [], isTest: false };
}

function withStep(attribute: Attribute, step: Step): Attribute {
  if ("condition" in attribute) {
    const { condition, then, otherwise } = attribute;
    return { condition, then: withStep(then, step), otherwise: withStep(otherwise, step) };
  }
  return { ...attribute, steps: [...attribute.steps, step] };
}

function tested(attribute: Attribute): Attribute {
  if (!("condition" in attribute)) return { ...attribute, isTest: true };
  return { ...attribute, then: tested(attribute.then), otherwise: tested(attribute.otherwise) };
}

/** Returns the value of an attribute. Charges its steps only. */
function readAttribute(attribute: Attribute, run: Run): Value {
  if ("condition" in attribute) {
    const condition = attribute.condition.evaluate(run);
    if (typeof condition !== "boolean") return isFailure(condition) ? condition : noSuchOverload;
    return readAttribute(condition ? attribute.then : attribute.otherwise, run);
  }
  const start = attribute.start(run);
  return isFailure(start) ? start : walkSteps(attribute, start, run);
}

/**
 * Follows the steps of an attribute, and charges one for each, except for the step that ends an optional attribute. Results by the last step:
 *
 * | the member | optional attribute | presence test, last step | otherwise |
 * | --- | --- | --- | --- |
 * | is missing | none, or false in a test; not charged | false; charged | none; charged |
 * | has failed | the failure; not charged | the failure; charged | the failure; charged |
 * | exists | goes on; charged | true; charged | goes on; charged |
 */
function walkSteps({ steps, isTest }: SimpleAttribute, start: Value, run: Run): Value {
  let value = start;
  let isOptional = isOptionalValue(start);
  if (isOptional) {
    const inner = (start as OptionalValue).value;
    if (inner === undefined) return isTest ? false : start;
    if (!steps.length) return start;
    value = inner;
  }
  for (const [index, step] of steps.entries()) {
    isOptional ||= step.isOptional;
    const isLast = index === steps.length - 1;
    const mayMiss = isOptional || (isTest && isLast);
    const next = stepInto(value, step, run, mayMiss);
    if (next === undefined && isOptional) return isTest ? false : noneValue;
    if (next !== undefined && isFailure(next) && isOptional) return next;
    charge(run, 1);
    if (next !== undefined && isFailure(next)) return next;
    if (isTest && isLast) return next !== undefined;
    if (next === undefined) return noneValue;
    value = next;
  }
  return isOptional ? some(value) : value;
}

function stepInto(value: Value, { key }: Step, run: Run, mayMiss: boolean): Value | undefined {
  const name = "constant" in key ? key.constant : keyValue(key.computed, run);
  if (isFailure(name)) return name;
  const selected = member(value, name);
  if (selected !== undefined || mayMiss) return selected;
  return kindOf(value) === "list"
    ? fail(`index out of bounds: ${valueText(name, run.pay)}`)
    : fail(`no such key: ${valueText(name, run.pay)}`);
}

/** Evaluates a key. If the key is itself an attribute, only its steps are charged. */
function keyValue({ attribute, evaluate }: PlannedExpr, run: Run): Value {
  return attribute ? readAttribute(attribute, run) : evaluate(run);
}

/** Returns the value under a key; undefined if there is none, or an error if the value cannot have members. */
function member(value: Value, key: Value): Value | undefined {
  switch (kindOf(value)) {
    case "map":
      return find(value as Parameters<typeof find>[0], key);
    case "list":
      return item(value as Parameters<typeof at>[0], key);
    case "struct":
      return typeof key === "string" ? (value as StructValue).fields.get(key) : undefined;
    default:
      return undefined;
  }
}

function item(list: Parameters<typeof at>[0], key: Value): Value | undefined {
  const index = indexNumber(key);
  if (index === undefined) {
    const why = kindOf(key) === "double" ? `value ${valueText(key, free)}` : `type '${typeNameOf(key)}'`;
    return fail(`unsupported index ${why} in list`);
  }
  return index >= 0 && index < list.items.length ? at(list, index) : undefined;
}

function indexNumber(key: Value): number | undefined {
  if (typeof key === "bigint") return Number(key);
  if (typeof key === "number") return Number.isInteger(key) ? key : undefined;
  return kindOf(key) === "uint" ? Number((key as UintValue).value) : undefined;
}

function variable(run: Run, name: string): Value {
  for (let frame = run.frame; frame; frame = frame.outer) {
    const index = frame.names.indexOf(name);
    if (index >= 0) return frame.read(index);
  }
  const value = run.variable(name);
  return value === undefined ? fail(`no such attribute(s): ${name}`) : value;
}
