// One evaluation: what it has cost so far, and when it must stop.
import { celCostWork, type WorkMeter } from "../k8s/bounds/work.ts";
import { CostExceeded } from "./cost-exceeded.ts";
import type { Pay } from "./pay.ts";
import type { Value } from "./values.ts";

/** The variables that a loop or a binding has set; looked up from the innermost. */
export interface Frame {
  readonly names: readonly string[];
  readonly outer: Frame | undefined;
  read(index: number): Value;
}

/** Units of cost that are charged to the meter at a time, and that one evaluation may pay beside its cost. */
const batch = 200;
const mostPaid = 3_000_000;

export class Run {
  /** The cost so far, as upstream counts it. */
  cost = 0;
  frame: Frame | undefined;
  /** The value of a variable of the environment. */
  readonly variable: (name: string) => Value | undefined;
  readonly #limit: number;
  readonly #meter: WorkMeter;
  /** The cost that is charged to the meter already, and the cost at which the next batch is. */
  #charged = 0;
  #settleAt = 0;
  #unpaid = 0;
  #paid = 0;

  constructor(variable: (name: string) => Value | undefined, limit: number, meter: WorkMeter) {
    this.variable = variable;
    this.#limit = limit;
    this.#meter = meter;
  }

  charge(cost: number): void {
    this.cost += cost;
    if (this.cost >= this.#settleAt) this.settle();
  }

  readonly pay: Pay = (units) => {
    this.#unpaid += units;
    if (this.#unpaid >= batch) this.settle();
  };

  /** Charges what was not charged yet. Throws `CostExceeded` past the limit of costs, and `TooMuchWork` past the budget of the meter. */
  settle(): void {
    const units = this.cost - this.#charged + this.#unpaid;
    this.#paid += this.#unpaid;
    this.#charged = this.cost;
    this.#unpaid = 0;
    this.#settleAt = Math.min(this.cost + batch, this.#limit + 1);
    this.#meter.charge(units * celCostWork);
    if (this.cost > this.#limit || this.#paid > mostPaid) throw new CostExceeded();
  }
}

export function charge(run: Run, cost: number): void {
  run.charge(cost);
}
