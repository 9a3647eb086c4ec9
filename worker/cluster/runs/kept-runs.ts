// Runs that wait where a reader left them, so that the next look costs what has happened since. Bounded in bytes, least recently used first: what
// is dropped is followed from its start again, and does the same.
import { limits } from "../../../shared/base/limits.ts";
import type { Clock } from "../../../shared/base/clock.ts";
import type { SuspendedRuns } from "../../containers/run/world.ts";
import type { Edit } from "../../containers/shell/files.ts";
import type { Run } from "../../containers/shell/trace.ts";
import { runBytes } from "./run-bytes.ts";
import type { Seen } from "./seen.ts";

interface Entry {
  readonly run: Run;
  /** What it has looked at since its start. */
  readonly seen: Seen;
  /** Up to when what it began with is the same: tokens are renewed. */
  readonly untilMs: () => number;
  outside: readonly Edit[];
  atMs: number;
  bytes: number;
}

export class KeptRuns {
  readonly #clock: Clock;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Drops the runs that were followed to this very moment, or ahead of it: what is written now they should have found. */
  changed(): void {
    const nowMs = this.#clock.nowMs();
    for (const [key, { atMs }] of this.#entries) if (atMs >= nowMs) this.#drop(key);
  }

  /** The runs for a view that notes in `seen` what it looks at. `untilMs`: up to when what it has read stays the same. */
  seenBy(seen: Seen, untilMs: () => number): SuspendedRuns {
    return {
      follow: (name, atMs, outside, begin) => {
        const nowMs = this.#clock.nowMs();
        const key = atMs > nowMs ? `${name}/ahead` : name;
        const found = this.#entries.get(key);
        if (found && found.atMs > atMs) return undefined;
        const isGood = found !== undefined && found.untilMs() >= nowMs && takes(found, outside);
        const entry = isGood ? found : { run: begin(), seen, untilMs, outside, atMs, bytes: 0 };
        this.#drop(key);
        if (isGood) entry.run.addOutside(outside.slice(entry.outside.length));
        entry.outside = outside;
        entry.atMs = atMs;
        const trace = entry.run.advance(atMs);
        for (const one of entry.seen) seen.add(one);
        entry.bytes = runBytes(trace) + entry.run.heldBytes;
        if (entry.run.isSuspended && !trace.end && !trace.isSpent) this.#keep(key, entry);
        return trace;
      },
    };
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
    for (const one of this.#entries.keys()) {
      if (this.#bytes <= limits.suspendedRunBytes) return;
      this.#drop(one);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}

/** Whether a run can go on with what is known of the outside now: what is new came after the moment to which it was followed. */
function takes({ outside, atMs }: Entry, now: readonly Edit[]): boolean {
  const isSame = outside.every((one, at) => one === now[at] || JSON.stringify(one) === JSON.stringify(now[at]));
  return isSame && now.slice(outside.length).every((one) => one.atMs > atMs);
}
