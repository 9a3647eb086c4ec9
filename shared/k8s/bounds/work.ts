// Work over what clients bring, counted: evaluating rules, checking and defaulting by schemas. Within a turn the clock stands still.
// A unit is what an expression's cost counts, some 0.02 microseconds on a machine at rest.
import { limits } from "../../base/limits.ts";
import { ApiError } from "../status.ts";

/** What is refused because of it is refused whole, before anything is written. */
export class TooMuchWork extends ApiError {
  constructor(message = "Request entity too large: checking it takes more work than one request may") {
    super(413, "RequestEntityTooLarge", message);
  }
}

let spent = 0;
/** What `spent` may come to. */
let end = Number.POSITIVE_INFINITY;

/** Throws where that is more than is left. */
export function spend(units: number): void {
  spent += units;
  if (spent > end) throw new TooMuchWork();
}

/** Units of `spend` in a microsecond. */
const unitsOfMicrosecond = 50;

/** Counts work that has a bound of its own: it takes of nobody's budget, and a turn is told of it. */
export function account(microseconds: number): void {
  spent += microseconds * unitsOfMicrosecond;
  end += microseconds * unitsOfMicrosecond;
}

/** All that was spent since this began to run: what a turn took is the difference. */
export function workSpent(): number {
  return spent;
}

/** Runs something with a budget, or with what is left of the one around it. Nothing of it may be asynchronous. */
export function withWorkBudget<T>(run: () => T, units: number = limits.workUnits): T {
  const outer = end;
  end = Math.min(outer, spent + units);
  try {
    return run();
  } finally {
    end = outer;
  }
}
