// One evaluation: what it has cost so far, and when it must stop.
import { celCostWork, TooMuchWork, type WorkMeter } from "../k8s/bounds/work.ts";
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
  /** Work that is not charged to the meter yet, and work that was paid beside the cost, in units of cost. */
  #uncharged = 0;
  #paid = 0;

  constructor(variable: (name: string) => Value | undefined, limit: number, meter: WorkMeter) {
    this.variable = variable;
    this.#limit = limit;
    this.#meter = meter;
  }

  /** `work`: where upstream's cost says nothing of the work here. */
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

  /** Charges what was not charged yet. Throws `CostExceeded` past the limit of costs, and `TooMuchWork` past the budget of the meter. */
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
