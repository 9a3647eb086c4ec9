// One evaluation: what it has cost so far, and when it must stop.
import { CostExceeded } from "./cost-exceeded.ts";
import type { Value } from "./values.ts";

/** The variables that a loop or a binding has set; looked up from the innermost. */
export interface Frame {
  readonly names: readonly string[];
  readonly outer: Frame | undefined;
  read(index: number): Value;
}

export interface Run {
  cost: number;
  readonly limit: number;
  frame: Frame | undefined;
  /** The value of a variable of the environment. */
  variable(name: string): Value | undefined;
}

export function newRun(variable: (name: string) => Value | undefined, limit: number): Run {
  return { cost: 0, limit, frame: undefined, variable };
}

export function charge(run: Run, cost: number): void {
  run.cost += cost;
  if (run.cost > run.limit) throw new CostExceeded();
}
