// What D1 said lately, kept in this isolate for a short time, so that not every request asks it.

export interface Remembered<V> {
  /** Nothing, where it is not known or was known too long ago. */
  get(key: string, nowMs: number): V | undefined;
  /**
   * What was begun before the memory was cleared is not kept: `since` is what `now()` gave before D1 was asked.
   */
  keep(key: string, value: V, nowMs: number, since: number): void;
  now(): number;
  clear(): void;
}

/** At most so many, past which all are forgotten, for so long. */
export function remembered<V>(most: number, forMs: number): Remembered<V> {
  const known = new Map<string, { readonly value: V; readonly untilMs: number }>();
  let cleared = 0;
  return {
    get: (key, nowMs) => {
      const found = known.get(key);
      if (found && nowMs < found.untilMs) return found.value;
      if (found) known.delete(key);
      return undefined;
    },
    keep: (key, value, nowMs, since) => {
      if (since !== cleared) return;
      if (known.size >= most) known.clear();
      known.set(key, { value, untilMs: nowMs + forMs });
    },
    now: () => cleared,
    clear: () => {
      known.clear();
      cleared += 1;
    },
  };
}
