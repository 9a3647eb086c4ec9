// The backoff before a failed pod is replaced: 1 s, doubling up to 15 minutes (upstream: `failedPodsBackoff`).

const initialBackoffMs = 1_000;
const maxBackoffMs = 900_000;

export interface Backoff {
  readonly delayMs: number;
  readonly startMs: number;
}

/**
 * Returns the remaining delay of a key. If none remains, returns 0 and starts the next delay, twice as long. A delay that started more than
 * twice the maximum ago is forgotten.
 */
export function startOrAwaitBackoff(backoffs: Map<string, Backoff>, key: string, nowMs: number): number {
  const last = backoffs.get(key);
  const isCurrent = last !== undefined && !isForgotten(last, nowMs);
  if (isCurrent && nowMs - last.startMs < last.delayMs) return last.startMs + last.delayMs - nowMs;
  const delayMs = isCurrent ? Math.min(2 * last.delayMs, maxBackoffMs) : initialBackoffMs;
  backoffs.set(key, { delayMs, startMs: nowMs });
  for (const [otherKey, backoff] of backoffs) if (isForgotten(backoff, nowMs)) backoffs.delete(otherKey);
  return 0;
}

function isForgotten({ startMs }: Backoff, nowMs: number): boolean {
  return nowMs - startMs > 2 * maxBackoffMs;
}
