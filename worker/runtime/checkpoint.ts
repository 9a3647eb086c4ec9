// Saves the informer's cursor and the work queue together, and as rarely as replaying changes allows.
import type { Clock } from "../../shared/base/clock.ts";
import { limits } from "../../shared/base/limits.ts";
import type { Sql } from "../store/sql.ts";
import type { Store } from "../store/store.ts";
import { readMeta, writeMeta } from "../store/tables.ts";
import type { WorkQueue } from "./queue.ts";

/** The cursor is saved with the queue, and at the latest after this many revisions. Replaying changes is harmless. */
const cursorLag = 200;
export const cursorKey = "cursor";

export interface CheckpointOptions {
  readonly sql: Sql;
  readonly store: Pick<Store, "began" | "compacted">;
  readonly clock: Clock;
  readonly queue: WorkQueue;
  /** Whether the cursor and the whole queue are saved each time, so that no change is read again and the order of requests never changes. */
  readonly isExact?: boolean;
}

export class Checkpoint {
  readonly #options: CheckpointOptions;
  #cursor: number;
  /** The cursor at the last call that looked at all unsaved requests. */
  #checkedAt: number;

  constructor(options: CheckpointOptions) {
    this.#options = options;
    // The initial objects of a cluster need no reconcile.
    this.#cursor = Number(readMeta(options.sql, cursorKey) ?? options.store.began);
    this.#checkedAt = this.#cursor;
  }

  /** The saved cursor: the revision after which the informer reads changes when the cluster is opened. */
  get cursor(): number {
    return this.#cursor;
  }

  /**
   * Whether the queue has so many requests, the next one due so soon, that saving each costs more than replaying the changes behind them. All
   * requests count, not only the unsaved ones: a queue that is saved after each turn has few of those, whatever its length.
   */
  get isCrowded(): boolean {
    const { queue, clock, isExact } = this.#options;
    if (isExact) return false;
    const nextMs = queue.earliestDueMs() ?? Number.POSITIVE_INFINITY;
    const isSoon = nextMs <= clock.nowMs() + limits.crowdMs;
    return isSoon && Math.max(queue.size, queue.unsaved) > limits.crowd && queue.unsaved <= limits.heldChanges;
  }

  /** Saves the queue and, if it is due, the informer's cursor. `withCursor` saves the cursor in any case. */
  save(readCursor: number, withCursor = this.#options.isExact ?? false): void {
    const { sql, store, queue } = this.#options;
    const { compacted } = store;
    const isCrowded = !withCursor && this.isCrowded;
    // Looking at thousands of waiting requests after each turn would take longer with each of them.
    if (isCrowded && this.#cursor >= compacted && readCursor - this.#checkedAt < cursorLag)
      return queue.saveRecent(this.#cursor);
    this.#checkedAt = readCursor;
    const skipAfter = Math.max(readCursor - limits.heldChanges, this.#cursor, compacted);
    // `heldFrom` is the first revision whose requests were not saved. The cursor must stay before it.
    const { wrote, heldFrom } = queue.save(isCrowded ? skipAfter : undefined);
    const cursor = heldFrom === undefined ? readCursor : heldFrom - 1;
    if (cursor === this.#cursor) return;
    // If the saved cursor is compacted, opening the cluster would require a resync.
    const isCutOff = this.#cursor < compacted;
    const isSaved = wrote || withCursor;
    if (!isSaved && !isCutOff && cursor - this.#cursor < cursorLag) return;
    writeMeta(sql, cursorKey, String(cursor));
    this.#cursor = cursor;
  }
}
