// Allocates the lowest free pod CIDR or address of a node, each of which is derived from a number.
import { type ClusterNetwork, podRange, podRanges } from "../../../../shared/k8s/settings/cluster-network.ts";

/** Takes the first free pod CIDR; undefined if there is none. */
export function nextPodRange(taken: NumberPool, network: ClusterNetwork): string | undefined {
  return taken.next((number) => podRange(network, number), podRanges(network) + 1);
}

/** Allocates numbers from 1 on. Each number is recorded by its text, such as a CIDR. */
export class NumberPool {
  readonly #taken = new Set<string>();
  /** The first number that can be free: all smaller ones are taken. */
  #firstCandidate = 1;

  take(text: string): void {
    this.#taken.add(text);
  }

  release(text: string): void {
    if (this.#taken.delete(text)) this.#firstCandidate = 1;
  }

  /** Takes the first free number below `end` and returns its text. */
  next(textOf: (number: number) => string, end = Number.POSITIVE_INFINITY): string | undefined {
    while (this.#firstCandidate < end && this.#taken.has(textOf(this.#firstCandidate))) this.#firstCandidate++;
    if (this.#firstCandidate >= end) return undefined;
    const text = textOf(this.#firstCandidate);
    this.#taken.add(text);
    return text;
  }
}
