// Which of the texts that stand for numbers are taken: the ranges of pods that nodes get, and their addresses.
import { type ClusterNetwork, podRange, podRanges } from "../../../../shared/k8s/settings/cluster-network.ts";

/** The first range of pods that no node has, which is then taken; undefined: there is none. */
export function nextPodRange(taken: Numbered, network: ClusterNetwork): string | undefined {
  return taken.next((number) => podRange(network, number), podRanges(network) + 1);
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
