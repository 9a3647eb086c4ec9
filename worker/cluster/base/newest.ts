// What was asked for last of what takes long to make, up to a size. Shared by the clusters of a process.

interface Kept<T> {
  readonly value: T;
  readonly size: number;
}

export class Newest<T> {
  readonly #most: number;
  /** The longest unused first. */
  readonly #kept = new Map<string, Kept<T>>();
  #size = 0;

  /** `most` of all sizes together; what is larger is kept alone. */
  constructor(most: number) {
    this.#most = most;
  }

  get(key: string, make: () => T, sizeOf: (value: T) => number): T {
    const entry = this.#kept.get(key);
    if (entry) {
      this.#kept.delete(key);
      this.#kept.set(key, entry);
      return entry.value;
    }
    const value = make();
    const size = sizeOf(value);
    for (const [old, entry] of this.#kept) {
      if (this.#size + size <= this.#most) break;
      this.#kept.delete(old);
      this.#size -= entry.size;
    }
    this.#kept.set(key, { value, size });
    this.#size += size;
    return value;
  }
}
