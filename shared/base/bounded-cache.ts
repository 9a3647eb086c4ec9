// A cache of recently used values that can be computed again, with a limit of size.

/**
 * A cache of two generations. A used old entry becomes young again. When the young ones fill half of the limit, they become the old
 * generation, and the previous old one is dropped. A hit in the young generation, the usual case, costs one look-up.
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
    this.#young.set(key, value);
    this.#size += this.#sizeOf(value);
    if (this.#size <= this.#most / 2) return;
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
