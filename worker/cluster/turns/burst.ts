// A burst of users' writes: each of them is answered at once, and controllers act on them when the burst is over.
import { limits } from "../../../shared/base/limits.ts";

/** The writes of one millisecond. */
interface Mark {
  readonly atMs: number;
  /** The revision that stood before the first of them. */
  readonly before: number;
}

export class Burst {
  readonly #delayMs: number;
  /** The marks of the writes that controllers have not read yet, the oldest first. */
  #marks: Mark[] = [];
  #shown = Promise.withResolvers<void>();

  /** Controllers are shown a write when none has come for so many milliseconds, or this one is `limits.burstDelays` times as old. */
  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  /** Whether writes are waited for at all; else controllers act in the turn of each. */
  get isWanted(): boolean {
    return this.#delayMs > 0;
  }

  get isOn(): boolean {
    return this.#marks.length > 0;
  }

  /** The revision up to which controllers may look; infinite where no burst is on. */
  get before(): number {
    return this.#marks[0]?.before ?? Number.POSITIVE_INFINITY;
  }

  /** Resolves when controllers are next shown something; at once where no burst is on. */
  get nextShown(): Promise<void> {
    return this.isOn ? this.#shown.promise : Promise.resolve();
  }

  /** A write has come; `before` is the revision that stood before it. */
  wrote(nowMs: number, before: number): void {
    if (this.#marks.at(-1)?.atMs !== nowMs) this.#marks.push({ atMs: nowMs, before });
  }

  /** Milliseconds until controllers are shown something: none, and fewer than none, where it is time. */
  leftMs(nowMs: number): number {
    const [first] = this.#marks;
    const last = this.#marks.at(-1);
    if (!first || !last) return 0;
    const longestMs = limits.burstDelays * this.#delayMs;
    // A clock that was put back makes nobody wait longer.
    return Math.min(last.atMs + this.#delayMs - nowMs, first.atMs + longestMs - nowMs, longestMs);
  }

  /** Shows what is as old as the delay. What is newer may be about to be written again by whoever wrote it, and is a burst of its own. */
  show(nowMs: number): void {
    this.#marks = this.#marks.filter(({ atMs }) => atMs > nowMs - this.#delayMs && atMs <= nowMs);
    this.#shown.resolve();
    this.#shown = Promise.withResolvers();
  }
}
