// What others use of CEL: an expression is compiled against what it may name, and evaluated with a limit on what it may cost.
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
import type { Planned } from "./parts.ts";
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

/** What one evaluation may cost, as the API server sets it. */
export const perCallLimit = 1_000_000;
/** What all the rules of one object, or of one policy, may cost together. */
export const runtimeCostBudget = 10_000_000;
/** What all the conditions of one policy or webhook may cost together. */
export const matchConditionsBudget = 2_500_000;

/** What an expression may name. */
export interface Environment {
  /** Names may have dots: `authorizer.requestResource`. */
  readonly variables: ReadonlyMap<string, CelType>;
  /** Types that an expression may build (`Object{...}`), by name; of a mutation only. */
  struct?(name: string): CelType | undefined;
  /** Whether the functions of JSON patches are there; of a mutation only. */
  readonly hasJsonPatch?: boolean;
  /** Functions that are there beside the standard ones, under names of their own. */
  readonly functions?: Functions;
}

export interface Program {
  readonly source: string;
  readonly result: CelType;
  /** The variables of the environment that it names. */
  readonly names: ReadonlySet<string>;
  /** For `estimate`. */
  readonly checked: Checked;
  readonly run: Planned;
}

/**
 * `problems` is what the API server says of an expression that does not compile (its callers begin with "compilation failed: ");
 * `planProblem` of one that compiles but can never run ("program instantiation failed: ").
 */
export type Compiled = { readonly program: Program } | { readonly problems: string } | { readonly planProblem: string };

/** An error of the expression, or the end of what it may cost. */
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
 * Evaluates a program. `variable` returns the values of variables when they are first read; `limit` bounds the cost. The meter is charged
 * as the evaluation goes on, and its budget bounds the evaluation too.
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
const standard: Functions = functionsOf(libraries);
const withJsonPatches: Functions = functionsOf([...libraries, jsonPatches]);

function functionsIn({ hasJsonPatch, functions }: Environment): Functions {
  if (functions) return new Map([...standard, ...functions]);
  return hasJsonPatch ? withJsonPatches : standard;
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
