// Time as a value that is handed in. Nothing else in the house reads a clock.

/** Milliseconds since the Unix epoch. */
export interface Clock {
  nowMs(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { nowMs: () => Date.now() };

/** A clock that stands until it is stepped: whole-cluster tests run on it. */
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
  /** Moves forward to a moment; never back. */
  stepTo(ms: number): void {
    this.#nowMs = Math.max(this.#nowMs, ms);
  }
}
