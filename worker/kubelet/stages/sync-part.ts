// Splits the sync of a pod with hundreds of containers into several turns. Computing what its programs, probes and hooks do takes most of
// the time. A turn that has computed enough ends with `SyncUnfinished`. Its results stay in memory (`unfinished-syncs.ts`), and the next turn
// begins with them.
import { limits } from "../../../shared/base/limits.ts";

/** Ends one part of a sync. No object was written. */
export class SyncUnfinished extends Error {}

/** Counts the work of one part of a sync, in microseconds. */
export class SyncPart {
  readonly #spent: () => number;
  readonly #maxWork: number;
  #work = 0;

  /** `spent`: reads the meter. */
  constructor(spent: () => number, maxWork: number = limits.syncPartWork) {
    this.#spent = spent;
    this.#maxWork = maxWork;
  }

  /** Computes a result. Throws `SyncUnfinished` if the part has done enough. Each part computes at least one result. */
  compute<T>(run: () => T): T {
    if (this.#work > this.#maxWork) throw new SyncUnfinished();
    const before = this.#spent();
    try {
      return run();
    } finally {
      this.#work += this.#spent() - before;
    }
  }

  /**
   * Throws `SyncUnfinished` if this part has done more than half of its work. The next turn then writes the results, so that computing and
   * writing together stay within one turn.
   */
  requireRoomToWrite(): void {
    if (this.#work > this.#maxWork / 2) throw new SyncUnfinished();
  }
}
