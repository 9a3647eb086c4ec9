// The cache of values that can be computed again. Every bounded cache of the project is one, unless its entries have an order or an expiry.

/**
 * A cache of two generations. A used old entry becomes young again. When the young ones fill half of the limit, they become the old
 * generation, and the previous old one is dropped. A hit in the young generation, the usual case, costs one look-up. A full cache keeps at
 * least half of its entries, and needs neither a list of uses nor a clock, as `lru-cache` does.
 */
export class BoundedCache<K, V> {
  readonly #most: number;
  readonly #sizeOf: (value: V) => number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #size = 0;

  /** Creates a cache. `most` limits the sum of the sizes; by default each value has the size 1. */
  constructor(most: number, sizeOf: (value: V) => number = () => 1) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** Returns a value without marking it as used. */
  peek(key: K): V | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: K, value: V): void {
    this.delete(key);
    const size = this.#sizeOf(value);
    if (this.#size + size > this.#most / 2) this.#beginGeneration();
    this.#young.set(key, value);
    this.#size += size;
    // A single value larger than half of the limit is a generation of its own.
    if (this.#size > this.#most / 2) this.#beginGeneration();
  }

  #beginGeneration(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#size = 0;
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#size = 0;
  }

  delete(key: K): void {
    const young = this.#young.get(key);
    if (young !== undefined) this.#size -= this.#sizeOf(young);
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
