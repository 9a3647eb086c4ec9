// Allocates numbered texts: the pod CIDRs and the addresses of nodes.
import { type ClusterNetwork, podRange, podRanges } from "../../../../shared/k8s/settings/cluster-network.ts";

/** Takes the first free pod CIDR; undefined if there is none. */
export function nextPodRange(taken: Numbered, network: ClusterNetwork): string | undefined {
  return taken.next((number) => podRange(network, number), podRanges(network) + 1);
}

/** A set of texts that represent numbers from 1 on, some of which are taken. */
export class Numbered {
  readonly #taken = new Set<string>();
  /** All smaller numbers are taken. */
  #from = 1;

  take(text: string): void {
    this.#taken.add(text);
  }

  release(text: string): void {
    if (this.#taken.delete(text)) this.#from = 1;
  }

  /** Takes the first free number below `end` and returns its text. */
  next(textOf: (number: number) => string, end = Number.POSITIVE_INFINITY): string | undefined {
    while (this.#from < end && this.#taken.has(textOf(this.#from))) this.#from++;
    if (this.#from >= end) return undefined;
    const text = textOf(this.#from);
    this.#taken.add(text);
    return text;
  }
}
