// Time as an injected value. No other code reads a clock.

/** Milliseconds since the Unix epoch. */
export interface Clock {
  nowMs(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { nowMs: () => Date.now() };

/** A clock that advances only when it is stepped, for whole-cluster tests. */
export class SteppedClock implements Clock {
  #nowMs: number;
  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }
  nowMs(): number {
    return this.#nowMs;
  }
  step(ms: number): void {
    this.#nowMs += ms;
  }
  /** Advances to a time, never backwards. */
  stepTo(ms: number): void {
    this.#nowMs = Math.max(this.#nowMs, ms);
  }
}
