// How soon a failed daemon pod is replaced again: the controller must not fight a kubelet that refuses pods.
import type { Client } from "../../registry/client.ts";

const firstMs = 1_000;
const longestMs = 900_000;

interface Backoff {
  readonly ms: number;
  readonly sinceMs: number;
}

/** Only in memory: after an eviction the backoff begins anew. */
const backoffs = new WeakMap<Client, Map<string, Backoff>>();

/** Upstream's `failedPodsBackoff`: the time to wait; 0 where a failed pod may go now, which lengthens the next wait. */
export function waitForReplacementMs(client: Client, key: string, nowMs: number): number {
  const known = backoffs.get(client) ?? new Map<string, Backoff>();
  backoffs.set(client, known);
  const last = known.get(key);
  const isCurrent = last !== undefined && nowMs - last.sinceMs <= 2 * longestMs;
  if (isCurrent && nowMs - last.sinceMs < last.ms) return last.sinceMs + last.ms - nowMs;
  known.set(key, { ms: isCurrent ? Math.min(2 * last.ms, longestMs) : firstMs, sinceMs: nowMs });
  for (const [old, { sinceMs }] of known) if (nowMs - sinceMs > 2 * longestMs) known.delete(old);
  return 0;
}
