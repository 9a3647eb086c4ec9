// A cache of D1's answers in this isolate, for a short time.
import { BoundedCache } from "../../shared/base/bounded-cache.ts";

export interface ExpiringCache<V> {
  /** Returns undefined if the value is missing or too old. */
  get(key: string, nowMs: number): V | undefined;
  /** Stores a value, unless the cache was cleared while D1 was queried. `since` is the result of `now()` before the query. */
  keep(key: string, value: V, nowMs: number, since: number): void;
  now(): number;
  clear(): void;
}

/** Creates a cache of at most `most` entries for `forMs`. */
export function newExpiringCache<V>(most: number, forMs: number): ExpiringCache<V> {
  const entries = new BoundedCache<string, { readonly value: V; readonly untilMs: number }>(most);
  let cleared = 0;
  return {
    get: (key, nowMs) => {
      const entry = entries.get(key);
      if (entry && nowMs < entry.untilMs) return entry.value;
      if (entry) entries.delete(key);
      return undefined;
    },
    keep: (key, value, nowMs, since) => {
      if (since !== cleared) return;
      entries.set(key, { value, untilMs: nowMs + forMs });
    },
    now: () => cleared,
    clear: () => {
      entries.clear();
      cleared += 1;
    },
  };
}
