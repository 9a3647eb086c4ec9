// How long to wait before the next attempt: longer each time, and never for all at once.

export interface Backoff {
  next(): number;
  /** The last attempt went well. */
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
