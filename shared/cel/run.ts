// The state of one evaluation: its cost so far, and its limits.
import { celCostWork, TooMuchWork, type WorkMeter } from "../k8s/bounds/work.ts";
import { CostExceeded } from "./cost-exceeded.ts";
import type { Pay } from "./pay.ts";
import type { Value } from "./values.ts";

/** Variables that a loop or a binding has set. Lookup begins with the innermost frame. */
export interface Frame {
  readonly names: readonly string[];
  readonly outer: Frame | undefined;
  read(index: number): Value;
}

/** Units of cost that are charged to the meter at a time, and that one evaluation may charge beside its cost. */
const batch = 200;
const mostPaid = 3_000_000;

export class Run {
  /** The cost so far, as upstream counts it. */
  cost = 0;
  frame: Frame | undefined;
  /** Returns the value of a variable of the environment. */
  readonly variable: (name: string) => Value | undefined;
  readonly #limit: number;
  readonly #meter: WorkMeter;
  /** Units of cost that are not charged to the meter yet, and units that were charged beside the cost. */
  #uncharged = 0;
  #paid = 0;

  constructor(variable: (name: string) => Value | undefined, limit: number, meter: WorkMeter) {
    this.variable = variable;
    this.#limit = limit;
    this.#meter = meter;
  }

  /** Adds to the cost. `work`: the work in units of cost, if it differs from upstream's cost. */
  charge(cost: number, work: number = cost): void {
    this.cost += cost;
    this.#uncharged += work;
    if (this.#uncharged >= batch || this.cost > this.#limit) this.settle();
  }

  readonly pay: Pay = (units) => {
    this.#paid += units;
    this.#uncharged += units;
    if (this.#uncharged >= batch) this.settle();
  };

  /** Charges outstanding units. Throws `CostExceeded` past the limit of costs, and `TooMuchWork` past the budget of the meter. */
  settle(): void {
    const hasWork = this.#meter.tryCharge(this.#uncharged * celCostWork);
    this.#uncharged = 0;
    if (this.cost > this.#limit || this.#paid > mostPaid) throw new CostExceeded();
    if (!hasWork) throw new TooMuchWork();
  }
}

export function charge(run: Run, cost: number, work?: number): void {
  run.charge(cost, work);
}
