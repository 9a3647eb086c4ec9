// The long part of a look at a pod of hundreds of containers is to work out what its programs, probes and hooks do. So it is done in parts: a turn
// that has worked out enough ends with `LookUnfinished`, and the next one begins with the results.
import { limits } from "../../../shared/base/limits.ts";

/** Ends a part of a look. Nothing was written. */
export class LookUnfinished extends Error {}

/** Counts the work of one part of a look. */
export class LookPart {
  readonly #spent: () => number;
  readonly #most: number;
  #done = 0;

  /** `spent`: reads the meter. */
  constructor(spent: () => number, most: number = limits.lookPartWork) {
    this.#spent = spent;
    this.#most = most;
  }

  /** Works something out. Throws `LookUnfinished` if the part has done enough; at least one thing is worked out in each part. */
  workOut<T>(run: () => T): T {
    if (this.#done > this.#most) throw new LookUnfinished();
    const before = this.#spent();
    try {
      return run();
    } finally {
      this.#done += this.#spent() - before;
    }
  }

  /** Ends the look. Throws `LookUnfinished` if the part has worked out so much that the next turn is to write what the look found. */
  finish(): void {
    if (this.#done > this.#most / 2) throw new LookUnfinished();
  }
}
