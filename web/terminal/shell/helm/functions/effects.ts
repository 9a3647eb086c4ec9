// Work that a template cannot wait for: requests to the cluster and the browser's cryptography. A rendering stops at it, and is repeated
// when its result is there.

/** Thrown by a function whose result is not there yet. */
export class Waiting extends Error {
  override name = "Waiting";
  readonly key: string;
  readonly start: () => Promise<unknown>;

  constructor(key: string, start: () => Promise<unknown>) {
    super("the result is not there yet");
    this.key = key;
    this.start = start;
  }
}

export interface Effects {
  /** Returns the result of the work with this key, or throws Waiting. */
  result(key: string, start: () => Promise<unknown>): unknown;
  /** Returns the key of the next call of this kind in a rendering. */
  nextKey(kind: string): string;
}

/** The maximum number of pieces of work of one command. */
const maxEffects = 300;

/** Runs a synchronous body again until none of its calls waits. */
export async function withEffects<T>(body: (effects: Effects) => T): Promise<T> {
  const results = new Map<string, unknown>();
  for (;;) {
    const counts = new Map<string, number>();
    const effects: Effects = {
      nextKey: (kind) => {
        const count = (counts.get(kind) ?? 0) + 1;
        counts.set(kind, count);
        return `${kind} ${count}`;
      },
      result: (key, start) => {
        if (results.has(key)) return results.get(key);
        throw new Waiting(key, start);
      },
    };
    try {
      return body(effects);
    } catch (error) {
      if (!(error instanceof Waiting)) throw error;
      if (results.size >= maxEffects)
        throw new Error(`the templates need more than ${maxEffects} lookups, keys or certificates`);
      results.set(error.key, await error.start());
    }
  }
}
