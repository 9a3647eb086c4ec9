// Exponential backoff with jitter, so that clients do not reconnect at the same time.

export interface Backoff {
  /** Returns the milliseconds to wait before the next attempt. */
  next(): number;
  /** Restarts at the shortest wait after a successful attempt. */
  reset(): void;
}

const firstMs = 250;
export const longestMs = 15_000;

export function newBackoff(random: () => number): Backoff {
  let ceilingMs = firstMs;
  return {
    next() {
      const ms = ceilingMs * (0.5 + random() / 2);
      ceilingMs = Math.min(ceilingMs * 2, longestMs);
      return ms;
    },
    reset() {
      ceilingMs = firstMs;
    },
  };
}
