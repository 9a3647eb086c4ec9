// Splits the sync of a pod with hundreds of containers into several turns. Computing what its programs, probes and hooks do takes most of
// the time. A turn that has computed enough ends with `SyncUnfinished`, and the next turn begins with the results.
import { limits } from "../../../shared/base/limits.ts";

/** Ends one part of a sync. Nothing was written. */
export class SyncUnfinished extends Error {}

/** Counts the work of one part of a sync. */
export class SyncPart {
  readonly #spent: () => number;
  readonly #most: number;
  #done = 0;

  /** `spent`: reads the meter. */
  constructor(spent: () => number, most: number = limits.syncPartWork) {
    this.#spent = spent;
    this.#most = most;
  }

  /** Computes a result. Throws `SyncUnfinished` if the part has done enough. Each part computes at least one result. */
  workOut<T>(run: () => T): T {
    if (this.#done > this.#most) throw new SyncUnfinished();
    const before = this.#spent();
    try {
      return run();
    } finally {
      this.#done += this.#spent() - before;
    }
  }

  /** Ends the sync. Throws `SyncUnfinished` if the part has done so much work that the next turn has to write the results. */
  finish(): void {
    if (this.#done > this.#most / 2) throw new SyncUnfinished();
  }
}
