// Compares a run with the runs without faults.
import { type Difference, differences, type FinalState, isMasked } from "./final-state.ts";
import { lifeCounts, type RecordedChange } from "./history.ts";
import type { Plan } from "./plans.ts";

/** The outcome of a run as it is compared. */
export interface Outcome {
  readonly isQuiet: boolean;
  readonly state: FinalState;
  readonly changes: readonly RecordedChange[];
  /** The invariants that do not hold, with reasons. */
  readonly broken: readonly string[];
  readonly failedStep: string | undefined;
}

export class Comparison {
  readonly #reference: Outcome;
  readonly #masks: readonly string[];
  readonly #counts: ReadonlyMap<string, number>;
  /** The counts that differ without faults. */
  readonly #maskedCounts = new Set<string>();

  /** `first`, `second`: runs without faults. Values that differ between the two are masked. */
  constructor(first: Outcome, second: Outcome, masks: readonly string[]) {
    this.#reference = first;
    const differing = differences(first.state, second.state);
    this.#masks = [...masks, ...differing.map(({ object, path }) => `${object} ${path}*`)];
    this.#counts = lifeCounts(first.changes);
    const counts = lifeCounts(second.changes);
    for (const key of new Set([...this.#counts.keys(), ...counts.keys()]))
      if (this.#counts.get(key) !== counts.get(key)) this.#maskedCounts.add(key);
  }

  /** Returns the differences between the run of a plan and the run without faults, for people. */
  problemsOf(result: Outcome, { hasOwnHistory = false }: Pick<Plan, "hasOwnHistory"> = {}): string[] {
    const reference = this.#reference;
    const problems: string[] = [];
    if (reference.isQuiet && !result.isQuiet) problems.push("the cluster does not become quiet");
    if (result.failedStep !== undefined && reference.failedStep === undefined)
      problems.push(`the workload failed: ${result.failedStep}`);
    const states = differences(reference.state, result.state).filter(
      (difference) => !isMasked(difference, this.#masks),
    );
    problems.push(...states.map(differenceText));
    if (!hasOwnHistory) problems.push(...this.#differentCounts(result));
    problems.push(...result.broken.map((text) => `an invariant does not hold: ${text}`));
    return problems;
  }

  #differentCounts({ changes }: Outcome): string[] {
    const counts = lifeCounts(changes);
    const keys = new Set([...this.#counts.keys(), ...counts.keys()]);
    return [...keys].flatMap((key) => {
      const [expected, actual] = [this.#counts.get(key) ?? 0, counts.get(key) ?? 0];
      return expected === actual || this.#maskedCounts.has(key) ? [] : [`${key}: ${actual} times, not ${expected}`];
    });
  }
}

function differenceText({ object, path, before, after }: Difference): string {
  if (path === "") return `${object} ${after === undefined ? "is missing" : "is there, and should not be"}`;
  return `${object} ${path}: ${after ?? "absent"}, not ${before ?? "absent"}`;
}
