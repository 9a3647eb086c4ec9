// What an expression is planned into.
import type { Checked } from "./checker.ts";
import type { Run } from "./run.ts";
import type { Expr } from "./syntax/tree.ts";
import type { Value } from "./values.ts";

export type Planned = (run: Run) => Value;

/** One part of an expression: a constant, a place that is looked up, or anything else. */
export interface Part {
  readonly constant?: Value;
  readonly attribute?: Attribute;
  readonly evaluate: Planned;
}

/** Plans the parts of a part. */
export interface Planner {
  readonly checked: Checked;
  part(expr: Expr): Part;
}

export type Attribute = Choice | Place;

export interface Place {
  /** The value that the steps lead on from. */
  readonly start: Planned;
  readonly steps: readonly Step[];
  /** It is asked whether the field of the last step is there. */
  readonly isTest: boolean;
}

/** `c ? a : b`, and what leads on from either. */
export interface Choice {
  readonly condition: Part;
  readonly then: Attribute;
  readonly otherwise: Attribute;
}

export interface Step {
  /** A constant key, or a part whose value is the key. */
  readonly key: { readonly constant: Value } | { readonly part: Part };
  readonly isOptional: boolean;
}
