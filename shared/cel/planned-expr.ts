// The plan of an expression.
import type { Checked } from "./checker.ts";
import type { Run } from "./run.ts";
import type { Expr } from "./syntax/tree.ts";
import type { Value } from "./values.ts";

export type Planned = (run: Run) => Value;

/** A planned expression: a constant, an attribute that is looked up, or any other. */
export interface PlannedExpr {
  readonly constant?: Value;
  readonly attribute?: Attribute;
  readonly evaluate: Planned;
}

/** Plans subexpressions. */
export interface Planner {
  readonly checked: Checked;
  planExpr(expr: Expr): PlannedExpr;
}

export type Attribute = Choice | SimpleAttribute;

export interface SimpleAttribute {
  /** The value from which the steps lead on. */
  readonly start: Planned;
  readonly steps: readonly Step[];
  /** Whether the attribute only tests the presence of the last step's field. */
  readonly isTest: boolean;
}

/** `c ? a : b`, and the steps that lead on from either. */
export interface Choice {
  readonly condition: PlannedExpr;
  readonly then: Attribute;
  readonly otherwise: Attribute;
}

export interface Step {
  /** A constant key, or an expression whose value is the key. */
  readonly key: { readonly constant: Value } | { readonly computed: PlannedExpr };
  readonly isOptional: boolean;
}
