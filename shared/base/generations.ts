// What was used last of what can be made anew, up to a size.

/**
 * Two generations: what is used while old becomes young again, and when the young fill half of the bound they become the old ones, and
 * the old ones go. So a look at what is young, which is nearly all there is, costs no more than a look-up.
 */
export class Generations<K, V> {
  readonly #most: number;
  readonly #sizeOf: (value: V) => number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #size = 0;

  /** `most` of all sizes together; by default each counts as one. */
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

  /** The same without a use of it. */
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

  delete(key: K): void {
    const young = this.#young.get(key);
    if (young !== undefined) this.#size -= this.#sizeOf(young);
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
