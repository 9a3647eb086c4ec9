// The ranges of pods that nodes get, and which of such numbered texts are taken.

/** How many ranges of pods there are. */
export const podRanges = 128 * 256;

/**
 * The range of pods of the `index`th node: 10.244.<index>.0/24, then 10.245 up to 10.255, then 10.128 up to 10.243. The ranges of
 * services (10.96.0.0/12) stay apart.
 */
export function podRange(index: number): string {
  const block = Math.floor(index / 256);
  const second = block < 12 ? 244 + block : 116 + block;
  return `10.${second}.${index % 256}.0/24`;
}

/** Texts that stand for numbers from 1 on, some of them taken. */
export class Numbered {
  readonly #taken = new Set<string>();
  /** All before it are taken. */
  #from = 1;

  take(text: string): void {
    this.#taken.add(text);
  }

  release(text: string): void {
    if (this.#taken.delete(text)) this.#from = 1;
  }

  /** The text of the first free number below `end`, which is then taken. */
  next(textOf: (number: number) => string, end = Number.POSITIVE_INFINITY): string | undefined {
    while (this.#from < end && this.#taken.has(textOf(this.#from))) this.#from++;
    if (this.#from >= end) return undefined;
    const text = textOf(this.#from);
    this.#taken.add(text);
    return text;
  }
}
