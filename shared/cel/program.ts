// The entry to CEL: compiles an expression in an environment, and evaluates it with a limit of its cost.
import { once } from "../base/once.ts";
import { type Checked, check } from "./checker.ts";
import {
  type Functions,
  authorizerType,
  cidrType,
  decisionType,
  formatType,
  functionsOf,
  groupCheckType,
  ipType,
  pathCheckType,
  quantityType,
  resourceCheckType,
  semverType,
  urlType,
} from "./functions.ts";
import { addresses } from "./libraries/addresses.ts";
import { arithmetic } from "./libraries/arithmetic.ts";
import { authorizers } from "./libraries/authorizers.ts";
import { conversions } from "./libraries/conversions.ts";
import { namedFormats } from "./libraries/formats.ts";
import { jsonPatches } from "./libraries/json-patches.ts";
import { lists } from "./libraries/lists.ts";
import { optionals } from "./libraries/optionals.ts";
import { quantities } from "./libraries/quantities.ts";
import { regex } from "./libraries/regex.ts";
import { semvers } from "./libraries/semvers.ts";
import { strings } from "./libraries/strings.ts";
import { time } from "./libraries/time.ts";
import { urls } from "./libraries/urls.ts";
import { lint } from "./lint.ts";
import { parse } from "./syntax/parser.ts";
import type { Planned } from "./planned-expr.ts";
import { PlanProblem, plan } from "./plan.ts";
import { problemsText } from "./problems.ts";
import { CostExceeded } from "./cost-exceeded.ts";
import { TooMuchWork, type WorkMeter } from "../k8s/bounds/work.ts";
import { Run } from "./run.ts";
import {
  type CelType,
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  typeType,
  uintType,
} from "./types.ts";
import { type Value, isFailure } from "./values.ts";

/** The limit of cost of one evaluation, as in the API server. */
export const perCallLimit = 1_000_000;
/** The limit of cost of all rules of one object or of one policy together. */
export const runtimeCostBudget = 10_000_000;
/** The limit of cost of all match conditions of one policy or webhook together. */
export const matchConditionsBudget = 2_500_000;

/** The variables, types and functions that an expression may use. */
export interface Environment {
  /** Variables by name. Names may have dots: `authorizer.requestResource`. */
  readonly variables: ReadonlyMap<string, CelType>;
  /** Returns a type that an expression may build (`Object{...}`). Only mutations have such types. */
  struct?(name: string): CelType | undefined;
  /** Whether the expression may use the functions of JSON patches. Only mutations may. */
  readonly hasJsonPatch?: boolean;
  /** Functions beside the standard ones, whose names do not collide with these. */
  readonly functions?: Functions;
}

export interface Program {
  readonly source: string;
  readonly result: CelType;
  /** The variables of the environment that the expression refers to. */
  readonly names: ReadonlySet<string>;
  /** The input of `estimate`. */
  readonly checked: Checked;
  readonly run: Planned;
}

/**
 * A program, or the API server's error message. `problems` are the errors of an expression that does not compile; its callers begin with
 * "compilation failed: ". `planProblem` is the error of an expression that compiles but can never run ("program instantiation failed: ").
 */
export type Compiled = { readonly program: Program } | { readonly problems: string } | { readonly planProblem: string };

/** The result of an evaluation: a value, an error of the expression, or the limit that it exceeded. */
export type Outcome =
  | { readonly value: Value; readonly cost: number }
  | {
      readonly error: string;
      readonly cost: number;
      readonly isTooExpensive: boolean;
      /** The budget of the meter is overdrawn: no other expression of the request can be evaluated. */
      readonly isPastBudget?: boolean;
    };

export function compile(source: string, environment: Environment): Compiled {
  const parsed = parse(source);
  if ("problems" in parsed) return { problems: problemsText(source, parsed.problems) };
  const { checked, problems } = check(parsed.tree, {
    variable: (name) => environment.variables.get(name),
    struct: (name) => typeNames.get(name) ?? environment.struct?.(name),
    functions: functionsIn(environment),
  });
  if (problems.length) return { problems: problemsText(source, problems) };
  const wrongLiterals = lint(checked);
  if (wrongLiterals.length) return { problems: problemsText(source, wrongLiterals) };
  const names = new Set<string>();
  for (const reference of checked.references.values()) {
    if ("variable" in reference && environment.variables.has(reference.variable)) names.add(reference.variable);
  }
  try {
    const result = checked.types.get(checked.tree) ?? dynType;
    return { program: { source, result, names, checked, run: plan(checked) } };
  } catch (error) {
    if (error instanceof PlanProblem) return { planProblem: error.message };
    throw error;
  }
}

/**
 * Evaluates a program. `variable` returns the values of variables when they are first read. `limit` bounds the cost. The meter is charged
 * during the evaluation, and its budget bounds the evaluation too.
 */
export function evaluate(
  program: Program,
  variable: (name: string) => Value | undefined,
  meter: WorkMeter,
  limit: number = perCallLimit,
): Outcome {
  const run = new Run(variable, limit, meter);
  try {
    const value = program.run(run);
    run.settle();
    if (isFailure(value)) return { error: value.message, cost: run.cost, isTooExpensive: false };
    return { value, cost: run.cost };
  } catch (error) {
    if (error instanceof CostExceeded) return { error: error.message, cost: run.cost, isTooExpensive: true };
    if (error instanceof TooMuchWork)
      return { error: exceeded, cost: run.cost, isTooExpensive: true, isPastBudget: true };
    throw error;
  }
}

const exceeded = new CostExceeded().message;

const libraries = [
  ...[arithmetic, conversions, strings, regex, time, lists, optionals],
  ...[quantities, semvers, urls, addresses, namedFormats, authorizers],
];
const standard = once(() => functionsOf(libraries));
const withJsonPatches = once(() => functionsOf([...libraries, jsonPatches]));

function functionsIn({ hasJsonPatch, functions }: Environment): Functions {
  if (functions) return new Map([...standard(), ...functions]);
  return hasJsonPatch ? withJsonPatches() : standard();
}

/** Types as values: `type(x) == string`. */
const typeNames: ReadonlyMap<string, CelType> = new Map(
  [
    ...[boolType, bytesType, doubleType, durationType, intType, nullType, stringType, timestampType, uintType],
    ...[listType(dynType), mapType(dynType, dynType), typeType(), optionalType(dynType)],
    ...[authorizerType, cidrType, decisionType, formatType, groupCheckType, ipType, pathCheckType],
    ...[quantityType, resourceCheckType, semverType, urlType],
  ].map((type) => [type.name, type]),
);
