// The bounds of one reconcile or mapping: how much it may read, and when it must stop before its next write.
import { limits } from "../../shared/base/limits.ts";
import { TooMuchWork } from "../../shared/k8s/bounds/work.ts";
import type { Registry } from "../registry/registry.ts";
import { TurnOver } from "./turn-over.ts";

const never = () => false;

export class TurnBudget {
  readonly #store: Pick<Registry["store"], "meter" | "revision">;
  /** Ends the running drain if it takes too long in real time. */
  #isLate: () => boolean = never;
  /** The revision at which the running reconcile started. */
  #startRevision = 0;
  /** The value of the meter when the running reconcile or mapping started. Infinity while none runs, so nothing is bounded. */
  #startWork = Number.POSITIVE_INFINITY;
  /** Whether the running reconcile has called `isTurnOver`, and so ends by itself. */
  #endsItself = false;
  /** Whether `isTurnOver` has returned true to the running reconcile. It stays true until that reconcile returns. */
  #hasEnded = false;

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
    this.#startWork = this.#store.meter.spent;
    try {
      return body();
    } finally {
      this.#startWork = Number.POSITIVE_INFINITY;
    }
  }

  /** Runs a reconcile with its replays, with a bound for its reads and writes. */
  reconcile<T>(body: () => T): T {
    this.#startRevision = this.#store.revision;
    this.#hasEnded = false;
    return this.map(body);
  }

  /** Starts a replay of the running reconcile. */
  restart(): void {
    this.#endsItself = false;
  }

  /** Answers `isTurnOver` of the running reconcile. */
  isTurnOver(): boolean {
    this.#endsItself = true;
    return (this.#hasEnded ||= this.#isOver());
  }

  /** Throws if no write may start. */
  checkWrite(): void {
    if (!this.#endsItself && this.#isOver()) throw new TurnOver();
  }

  /** Throws if the running reconcile or mapping has read too much. */
  checkRead(): void {
    const { meter } = this.#store;
    if (meter.spent - this.#startWork <= limits.workPerReading) return;
    // Recording the event requires reads, too.
    this.#startWork = meter.spent;
    throw new TooMuchWork("it takes more work than may be done at once");
  }

  #isOver(): boolean {
    const { meter, revision } = this.#store;
    // A reconcile that has written nothing would start from the same state again, so it is not stopped.
    if (this.#startWork === Number.POSITIVE_INFINITY || revision <= this.#startRevision) return false;
    return meter.spent - this.#startWork > limits.workPerTurn || this.#isLate();
  }
}
