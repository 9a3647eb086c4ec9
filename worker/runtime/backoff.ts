// The backoff of failed requests: upstream's `DefaultTypedControllerRateLimiter`, 5 ms doubling to 1000 s.

const baseMs = 5;
const maxMs = 1_000_000;

export function backoffMs(attempts: number): number {
  return Math.min(baseMs * 2 ** Math.min(attempts, 30), maxMs);
}
