// Holds suspended runs, so that the next reader only computes what happened since. The memory is bounded in bytes, and the least recently used run
// is evicted. An evicted run is computed from its start again, with the same result.
import { limits } from "../../../shared/base/limits.ts";
import type { Clock } from "../../../shared/base/clock.ts";
import type { SuspendedRuns } from "../../containers/run/world.ts";
import type { Edit } from "../../containers/shell/files.ts";
import type { Run } from "../../containers/shell/trace.ts";
import { runBytes } from "./run-bytes.ts";
import type { ReadKeys } from "./read-tracking.ts";

interface Entry {
  readonly run: Run;
  /** The keys of all that the run has read since its start. */
  readonly readKeys: ReadKeys;
  /** Returns the moment up to which the data that the run started with is valid. Tokens expire. */
  readonly untilMs: () => number;
  outside: readonly Edit[];
  atMs: number;
  bytes: number;
}

export class KeptRuns {
  readonly #clock: Clock;
  /** The suspended runs in the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Drops the runs that were followed to the present moment or ahead of it, because they have not read the present write. */
  changed(): void {
    const nowMs = this.#clock.nowMs();
    for (const [key, { atMs }] of this.#entries) if (atMs >= nowMs) this.#drop(key);
  }

  /** Returns the runs for a view that records its reads in `readKeys`. `untilMs`: the moment up to which the data that it has read is valid. */
  forReader(readKeys: ReadKeys, untilMs: () => number): SuspendedRuns {
    return {
      follow: (name, atMs, outside, begin) => {
        const nowMs = this.#clock.nowMs();
        const key = atMs > nowMs ? `${name}/ahead` : name;
        const suspended = this.#entries.get(key);
        if (suspended && suspended.atMs > atMs) return undefined;
        const isGood = suspended !== undefined && suspended.untilMs() >= nowMs && canContinue(suspended, outside);
        const entry = isGood ? suspended : { run: begin(), readKeys, untilMs, outside, atMs, bytes: 0 };
        this.#drop(key);
        if (isGood) entry.run.addOutside(outside.slice(entry.outside.length));
        entry.outside = outside;
        entry.atMs = atMs;
        const trace = entry.run.advance(atMs);
        for (const readKey of entry.readKeys) readKeys.add(readKey);
        entry.bytes = runBytes(trace) + entry.run.heldBytes;
        if (entry.run.isSuspended && !trace.end && !trace.isSpent) this.#keep(key, entry);
        return trace;
      },
    };
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
    for (const oldestKey of this.#entries.keys()) {
      if (this.#bytes <= limits.suspendedRunBytes) return;
      this.#drop(oldestKey);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}

/** Reports whether a run can continue with the present edits from outside: all new edits must be later than its position. */
function canContinue({ outside, atMs }: Entry, now: readonly Edit[]): boolean {
  const isSame = outside.every((edit, at) => edit === now[at] || JSON.stringify(edit) === JSON.stringify(now[at]));
  return isSame && now.slice(outside.length).every((edit) => edit.atMs > atMs);
}
