// Evaluates the expressions of a policy for one write within a shared cost budget (upstream: plugin/cel activation).
import { type Program, evaluate, perCallLimit } from "../../../shared/cel/program.ts";
import { type MapShape, type Value, fail } from "../../../shared/cel/values.ts";
import { TooMuchWork, type WorkMeter } from "../../../shared/k8s/bounds/work.ts";
import type { Expression } from "../../kinds/admissionregistration/expressions.ts";

/** Returns the value of a variable; `undefined` if it does not exist. */
export type Variables = (name: string) => Value | undefined;

export type Outcome = { readonly value: Value } | { readonly error: string };

/** The error that ends all evaluations of a policy. */
export class OutOfBudget extends Error {
  constructor() {
    super("validation failed due to running out of cost budget, no further validation rules will be run");
  }
}

/** The number of characters of an expression that an error message shows. */
const shownCharacters = 200;

export interface Evaluator {
  /** Evaluates an expression. Throws `OutOfBudget`, and `TooMuchWork` if the budget of the request is exceeded. */
  run(expression: Expression): Outcome;
  /** Returns the remaining cost budget of the policy. */
  remainingBudget(): number;
}

/** Returns the error for a request that exceeds the budget that all its policies share. Failure policies do not suppress it. */
function requestTooLarge(source: string): TooMuchWork {
  const excerpt = source.length > shownCharacters ? `${source.slice(0, shownCharacters)}...` : source;
  const problem = "evaluating the expressions of admission policies takes more work than one request may";
  return new TooMuchWork(`Request entity too large: ${problem}; it ended in expression '${excerpt}'`);
}

/** Returns an evaluator. Each of `variableExpressions` (`spec.variables`) is evaluated once, when an expression first uses it. */
export function evaluatorOf(
  variables: Variables,
  variableExpressions: ReadonlyMap<string, Expression>,
  budget: number,
  meter: WorkMeter,
): Evaluator {
  let remainingCost = budget;
  const spend = (cost: number) => {
    remainingCost -= cost;
    if (remainingCost < 0) throw new OutOfBudget();
  };
  const lazy = lazyVariables(variableExpressions, (program) => {
    const outcome = evaluate(program, allVariables, meter, perCallLimit);
    // The cost of the variable is added to that of the expression which used it.
    variablesCost += outcome.cost;
    return "value" in outcome ? { value: outcome.value } : { error: outcome.error };
  });
  let variablesCost = 0;
  const allVariables: Variables = (name) => (name === "variables" ? lazy : variables(name));
  return {
    remainingBudget: () => remainingCost,
    run(expression) {
      if ("problem" in expression) return { error: `compilation error: ${expression.problem}` };
      const outcome = evaluate(expression.program, allVariables, meter, perCallLimit);
      if ("error" in outcome && outcome.isPastBudget) throw requestTooLarge(expression.source);
      const spent = variablesCost;
      variablesCost = 0;
      spend(spent);
      spend(outcome.cost);
      if ("value" in outcome) return { value: outcome.value };
      return { error: `expression '${expression.source}' resulted in error: ${outcome.error}` };
    },
  };
}

interface LazyVariables {
  readonly expressions: ReadonlyMap<string, Expression>;
  readonly values: Map<string, Value>;
  run(program: Program): Outcome;
}

function lazyVariables(expressions: ReadonlyMap<string, Expression>, run: LazyVariables["run"]): Value {
  const raw: LazyVariables = { expressions, values: new Map(), run };
  return { kind: "map", raw, shape: lazyShape };
}

const lazyShape: MapShape = {
  find(raw, key) {
    if (typeof key !== "string") return undefined;
    // Only `lazyVariables` creates maps of this shape.
    const { expressions, values, run } = raw as LazyVariables;
    const expression = expressions.get(key);
    if (!expression) return undefined;
    if (!values.has(key)) values.set(key, valueOf(key, expression, run));
    return values.get(key);
  },
  keys: (raw) => [...(raw as LazyVariables).expressions.keys()],
  size: (raw) => (raw as LazyVariables).expressions.size,
};

function valueOf(name: string, expression: Expression, run: LazyVariables["run"]): Value {
  const variable = `composited variable ${JSON.stringify(name)}`;
  if ("problem" in expression) return fail(`${variable} fails to compile: ${expression.problem}`);
  const outcome = run(expression.program);
  return "value" in outcome ? outcome.value : fail(`${variable} fails to evaluate: ${outcome.error}`);
}
