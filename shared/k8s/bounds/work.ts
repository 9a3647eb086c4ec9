// The unit and the meter of work. The clock stands still within a turn, so a turn is measured by what it charges.
//
// The unit of work is one microsecond of the reference processor, with code that V8 has compiled. That processor is one core of a current
// server at about 3 GHz that runs nothing else. Every number of work in this project has this unit: budgets in `limits`, reads and writes
// of the store, and charges of containers (`shared/shell/meter.ts`). Other counts are converted by the constants below.
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

  /** The work that the innermost budget has left, negative once it is overdrawn; Infinity without a budget. */
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

  /** Runs a synchronous function with a budget, or with the rest of the outer budget if that is less. */
  within<T>(run: () => T, units: number = limits.requestWork): T {
    const outer = this.#end;
    const innerEnd = Math.min(outer, this.#spent + units);
    this.#end = innerEnd;
    try {
      return run();
    } finally {
      // Accounted work has moved the end of this budget. It moves the end of the outer one as far.
      this.#end = outer + (this.#end - innerEnd);
    }
  }
}
