// Turns a checked expression into functions that evaluate it. Each step charges the cost that the API server counts for it.
import { keptPattern } from "../base/kept-patterns.ts";
import { limits } from "../base/limits.ts";
import { budgetOf, isPattern } from "../base/pattern.ts";
import { WorkMeter } from "../k8s/bounds/work.ts";
import { attributeOf, resolveCharged } from "./attributes.ts";
import { costOfCall } from "./cost/call-cost.ts";
import type { Checked, Resolved } from "./checker.ts";
import { holds } from "./equality.ts";
import { type Overload, takes } from "./functions.ts";
import { loop } from "./loops.ts";
import type { Pay } from "./pay.ts";
import type { Attribute, PlannedExpr, Planned, Planner } from "./planned-expr.ts";
import { charge, Run } from "./run.ts";
import { type CallExpr, type Expr, type ListExpr, type MapExpr, type StructExpr, operators } from "./syntax/tree.ts";
import {
  type ListValue,
  type Value,
  fail,
  isFailure,
  isList,
  isOptionalValue,
  itemsOf,
  kindOf,
  list,
  mapOf,
  noSuchOverload,
  typeNameOf,
} from "./values.ts";

/** The work of calling a function beside its cost, in units of cost: it covers parsing texts and creating values. */
const callWork = 3;
/** The work of one authorization check, in units of cost. Upstream counts 350,000, since its authorizer may be a webhook. */
const checkWork = 500;
const baseCost = { list: 10, map: 30, struct: 40 };
/** Conversions, which are evaluated in the plan if their argument is constant. */
const conversions = new Set("bool bytes double dyn duration int string timestamp type uint".split(" "));

/** Functions whose patterns are compiled in the plan if they are constant. */
const patterns = new Set(["find", "findAll", "matches"]);

const unguarded = new Set(["contains", "endsWith", "startsWith"]);

/** The error of an invalid constant, which is refused before anything is evaluated. */
export class PlanProblem extends Error {}

export function plan(checked: Checked): Planned {
  // A macro may use an expression twice; it is planned once.
  const plans = new Map<Expr, PlannedExpr>();
  const planner: Planner = {
    checked,
    planExpr(expr) {
      const planned = plans.get(expr) ?? planPart(planner, expr);
      plans.set(expr, planned);
      return planned;
    },
  };
  return planner.planExpr(checked.tree).evaluate;
}

function planPart(planner: Planner, expr: Expr): PlannedExpr {
  switch (expr.kind) {
    case "literal":
      return constant(expr.value);
    case "ident":
    case "select":
      return placed(attributeOf(planner, expr));
    case "call":
      return planCall(planner, expr);
    case "list":
      return planList(planner, expr);
    case "map":
      return planMap(planner, expr);
    case "struct":
      return planStruct(planner, expr);
    case "comprehension":
      return { evaluate: loop(planner, expr) };
  }
}

function constant(value: Value): PlannedExpr {
  return { constant: value, evaluate: () => value };
}

function placed(attribute: Attribute | { readonly constant: Value }): PlannedExpr {
  if ("constant" in attribute) return constant(attribute.constant);
  return { attribute, evaluate: (run) => resolveCharged(attribute, run) };
}

function planCall(planner: Planner, expr: CallExpr): PlannedExpr {
  switch (expr.name) {
    case operators.index:
    case operators.optionalIndex:
    case operators.optionalSelect:
    case operators.conditional:
      return placed(attributeOf(planner, expr));
    default:
      break;
  }
  const call = planner.checked.calls.get(expr) ?? { name: expr.name, target: expr.target, overloads: [] };
  const args = (call.target ? [call.target, ...expr.args] : expr.args).map((arg) => planner.planExpr(arg));
  const [first, second] = args;
  if (first && second) {
    if (call.name === operators.and) return { evaluate: shortCircuit(first, second, false) };
    if (call.name === operators.or) return { evaluate: shortCircuit(first, second, true) };
    if (call.target && (call.name === "or" || call.name === "orValue")) {
      return { evaluate: alternative(first, second, call.name === "orValue") };
    }
    const constantList = second.constant;
    if (call.name === operators.in && constantList !== undefined && isList(constantList)) {
      const membership = inConstants(first, constantList);
      if (membership) return membership;
    }
  }
  const pattern = patterns.has(call.name) ? second?.constant : undefined;
  const regex = typeof pattern === "string" ? keptPattern(pattern, budgetOf(limits.patternUnits)) : undefined;
  if (regex && !isPattern(regex)) throw new PlanProblem(regex.error);
  const evaluate = callOf(call, args);
  if (!conversions.has(call.name) || args.length !== 1 || first?.constant === undefined) return { evaluate };
  const value = evaluate(new Run(() => undefined, Number.POSITIVE_INFINITY, new WorkMeter()));
  if (isFailure(value)) throw new PlanProblem(value.message);
  return constant(value);
}

/** Evaluates the second operand only if the first does not decide. An error counts only if neither decides. */
function shortCircuit(first: PlannedExpr, second: PlannedExpr, decides: boolean): Planned {
  return (run) => {
    const left = first.evaluate(run);
    if (left === decides) return decides;
    const right = second.evaluate(run);
    if (right === decides) return decides;
    for (const value of [left, right]) {
      if (typeof value !== "boolean") return isFailure(value) ? value : noSuchOverload;
    }
    return !decides;
  };
}

/** Evaluates `a.or(b)` and `a.orValue(b)`. */
function alternative(first: PlannedExpr, second: PlannedExpr, unwraps: boolean): Planned {
  return (run) => {
    const left = first.evaluate(run);
    if (!isOptionalValue(left)) return left;
    if (left.value === undefined) return second.evaluate(run);
    return unwraps ? left.value : left;
  };
}

/** Plans `in` with a list of plain constants, which costs nothing. */
function inConstants(value: PlannedExpr, constants: ListValue): PlannedExpr | undefined {
  const items = [...itemsOf(constants)];
  if (!items.length) return constant(false);
  const isPlain = items.every((item) => ["bool", "double", "int", "string", "uint"].includes(kindOf(item)));
  if (!isPlain) return undefined;
  const strings = items.every((item) => typeof item === "string") ? new Set<Value>(items) : undefined;
  return {
    evaluate: (run) => {
      const sought = value.evaluate(run);
      if (isFailure(sought)) return sought;
      return strings ? strings.has(sought) : holds(constants, sought, run.pay);
    },
  };
}

function callOf({ name, target, overloads }: Resolved, args: readonly PlannedExpr[]): Planned {
  const isMember = target !== undefined;
  const candidates = overloads.filter((overload) => overload.isMember === isMember);
  const only = candidates.length === 1 ? candidates[0] : undefined;
  const isStrict = name !== operators.notStrictlyFalse;
  const cost = costOfCall(name, only);
  const work = isOperator(name) ? 0 : callWork;
  const fixedWork = name === "check" ? checkWork : undefined;
  return (run) => {
    const values: Value[] = [];
    let failure: Value | undefined;
    for (const arg of args) {
      const value = arg.evaluate(run);
      // With one or two arguments all are evaluated, and charged, before an error ends the call.
      if (isStrict && failure === undefined && isFailure(value)) {
        if (args.length > 2) return value;
        failure = value;
      }
      values.push(value);
    }
    run.pay(work);
    const result = failure ?? apply(name, candidates, values, run.pay);
    charge(run, cost(values, result), fixedWork);
    return result;
  };
}

function apply(name: string, candidates: readonly Overload[], values: readonly Value[], pay: Pay): Value {
  if (name === operators.notStrictlyFalse) return values[0] !== false;
  for (const overload of candidates) {
    if (takes(overload, values)) return overload.run(values, pay);
  }
  if (isOperator(name) || unguarded.has(name)) return noSuchOverload;
  if (name === "size") return fail("no such overload: size");
  return fail(`no such overload: ${name}(${values.map(typeNameOf).join(", ")})`);
}

function isOperator(name: string): boolean {
  return /[^\w.]/.test(name);
}

function planList(planner: Planner, { items }: ListExpr): PlannedExpr {
  const planned = items.map(({ value, isOptional }) => ({ expr: planner.planExpr(value), isOptional }));
  if (planned.every(({ expr }) => expr.constant !== undefined)) {
    return constant(list(planned.map(({ expr }) => expr.constant ?? null)));
  }
  return {
    evaluate: (run) => {
      const values: Value[] = [];
      let failure: Value | undefined;
      for (const { expr, isOptional } of planned) {
        const value = expr.evaluate(run);
        failure = element(value, isOptional, (item) => values.push(item));
        if (failure) break;
      }
      charge(run, baseCost.list);
      return failure ?? list(values);
    },
  };
}

/** Passes a present value to `add`, and returns the error of a value that cannot be an element. */
function element(value: Value, isOptional: boolean, add: (value: Value) => void): Value | undefined {
  if (isFailure(value)) return value;
  if (!isOptional) {
    add(value);
    return undefined;
  }
  if (!isOptionalValue(value)) {
    return fail(`cannot initialize optional list element from non-optional value ${typeNameOf(value)}`);
  }
  const inner = value.value;
  if (inner !== undefined) add(inner);
  return undefined;
}

function planMap(planner: Planner, { entries }: MapExpr): PlannedExpr {
  const planned = entries.map(({ key, value, isOptional }) => ({
    key: planner.planExpr(key),
    value: planner.planExpr(value),
    isOptional,
  }));
  if (planned.every(({ key, value }) => key.constant !== undefined && value.constant !== undefined)) {
    return constant(mapOf(planned.map(({ key, value }) => [key.constant ?? null, value.constant ?? null] as const)));
  }
  return {
    evaluate: (run) => {
      const all: [Value, Value][] = [];
      let failure: Value | undefined;
      for (const { key, value, isOptional } of planned) {
        const name = key.evaluate(run);
        failure = isFailure(name) ? name : element(value.evaluate(run), isOptional, (item) => all.push([name, item]));
        if (failure) break;
      }
      charge(run, baseCost.map);
      return failure ?? mapOf(all);
    },
  };
}

function planStruct(planner: Planner, expr: StructExpr): PlannedExpr {
  const fieldPlans = expr.fields.map(({ name, value, isOptional }) => ({
    name,
    plan: planner.planExpr(value),
    isOptional,
  }));
  const type = planner.checked.types.get(expr);
  return {
    evaluate: (run) => {
      const fields = new Map<string, Value>();
      let failure: Value | undefined;
      for (const { name, plan: fieldPlan, isOptional } of fieldPlans) {
        failure = element(fieldPlan.evaluate(run), isOptional, (field) => fields.set(name, field));
        if (failure) break;
      }
      charge(run, baseCost.struct);
      return failure ?? (type ? { kind: "struct", type, fields } : noSuchOverload);
    },
  };
}
