// Work, counted: within a turn the clock stands still, so a turn is measured by what it charges.
//
// The unit of work is one microsecond of the reference processor: one core of a current server at about 3 GHz that runs nothing else, with code that
// V8 has compiled. Every number of work in this project is in this unit: budgets in `limits`, what reads and writes of the store cost,
// and what containers charge (`shared/shell/meter.ts`). Work that is counted in another way is converted by the constants below.
import { limits } from "../../base/limits.ts";
import { ApiError } from "../status.ts";

/** Work of one unit of CEL's cost, as upstream counts costs. */
export const celCostWork = 0.1;

/** Steps of a WebAssembly module, at calls and at rounds of loops, that are one unit of work. */
export const wasmStepsPerWork = 250;

/** A refusal of work past the budget. The request is refused as a unit, before anything is written. */
export class TooMuchWork extends ApiError {
  constructor(message = "Request entity too large: checking it takes more work than one request may") {
    super(413, "RequestEntityTooLarge", message);
  }
}

/** The meter of one cluster: everything that runs in the cluster's turns charges it. Budgets nest. */
export class WorkMeter {
  #spent = 0;
  /** The value of `spent` past which `charge` throws. */
  #end = Number.POSITIVE_INFINITY;

  /** All work since the meter was made. The work of a turn is the difference. */
  get spent(): number {
    return this.#spent;
  }

  /** What the innermost budget has left, negative once it is overdrawn; Infinity without a budget. */
  get left(): number {
    return this.#end - this.#spent;
  }

  /** Charges work to the budget. Throws `TooMuchWork` if the budget is overdrawn. */
  charge(units: number): void {
    this.#spent += units;
    if (this.#spent > this.#end) throw new TooMuchWork();
  }

  /** Charges work to the budget. Returns false if the budget is overdrawn. */
  tryCharge(units: number): boolean {
    this.#spent += units;
    return this.#spent <= this.#end;
  }

  /** Counts work that has a bound of its own: reads and writes of the store, runs of containers. No budget is charged. */
  account(units: number): void {
    this.#spent += units;
    this.#end += units;
  }

  /** Runs a synchronous function with a budget, or with what the budget around it has left if that is less. */
  within<T>(run: () => T, units: number = limits.requestWork): T {
    const outer = this.#end;
    const own = Math.min(outer, this.#spent + units);
    this.#end = own;
    try {
      return run();
    } finally {
      // Accounted work has moved the end of this budget. It moves the end of the outer one as far.
      this.#end = outer + (this.#end - own);
    }
  }
}
