// The bounds of one reconcile, or of mapping one change to requests: how much it may read, and when it is stopped before its next write.
import { limits } from "../../shared/base/limits.ts";
import { TooMuchWork } from "../../shared/k8s/bounds/work.ts";
import type { Registry } from "../registry/registry.ts";
import { BudgetSpent } from "./budget-spent.ts";

const never = () => false;

export class ReconcileBudget {
  readonly #store: Pick<Registry["store"], "meter" | "revision">;
  /** Ends the running drain if it takes too long in real time. */
  #isLate: () => boolean = never;
  /** The revision at which the running reconcile started. */
  #startRevision = 0;
  /** The value of the meter when the running reconcile or mapping started. Infinity while none runs, so nothing is bounded. */
  #startWork = Number.POSITIVE_INFINITY;
  /** Whether the running reconcile has called `isBudgetSpent`. It then ends by itself, so `checkWrite` no longer stops it. */
  #checksBudget = false;
  /** Whether `isBudgetSpent` has returned true to the running reconcile. It stays true until that reconcile returns. */
  #isSpent = false;

  constructor(store: Pick<Registry["store"], "meter" | "revision">) {
    this.#store = store;
  }

  /** Runs a drain that `isLate` ends. */
  drain<T>(isLate: () => boolean, body: () => T): T {
    this.#isLate = isLate;
    try {
      return body();
    } finally {
      this.#isLate = never;
    }
  }

  /** Runs the mapping of a change, with a bound for its reads. */
  map<T>(body: () => T): T {
    return this.#bounded(body);
  }

  /**
   * Runs a reconcile, with a bound for its reads and writes. A reconcile that needs the answer of an outbound call is run again from the
   * start when the answer is known (`replays.ts`). All its runs count as one reconcile.
   */
  reconcile<T>(body: () => T): T {
    this.#startRevision = this.#store.revision;
    this.#isSpent = false;
    return this.#bounded(body);
  }

  /** Begins the first or a further run of the running reconcile. */
  beginRun(): void {
    this.#checksBudget = false;
  }

  /** Reports to the running reconcile whether it should write its results and return. */
  isBudgetSpent(): boolean {
    this.#checksBudget = true;
    return (this.#isSpent ||= this.#isOver());
  }

  /**
   * Throws `BudgetSpent` if no write may start. A reconcile that calls `isBudgetSpent` is not stopped: it writes only the results of what it
   * has done, and then returns.
   */
  checkWrite(): void {
    if (!this.#checksBudget && this.#isOver()) throw new BudgetSpent();
  }

  /** Throws if the running reconcile or mapping has read too much. */
  checkRead(): void {
    const { meter } = this.#store;
    if (meter.spent - this.#startWork <= limits.maxReadingWork) return;
    // Recording the event requires reads, too.
    this.#startWork = meter.spent;
    throw new TooMuchWork("it takes more work than may be done at once");
  }

  #bounded<T>(body: () => T): T {
    this.#startWork = this.#store.meter.spent;
    try {
      return body();
    } finally {
      this.#startWork = Number.POSITIVE_INFINITY;
    }
  }

  #isOver(): boolean {
    const { meter, revision } = this.#store;
    // A reconcile that has written nothing would start from the same state again, so it is not stopped.
    if (this.#startWork === Number.POSITIVE_INFINITY || revision <= this.#startRevision) return false;
    return meter.spent - this.#startWork > limits.maxReconcileWork || this.#isLate();
  }
}
