// Sums by topology key and value: many nodes share a pair. A sum of nothing is as if it had never been.
import type { Labels } from "../../../shared/k8s/labels.ts";

export class TopologySums {
  readonly #sums = new Map<string, Map<string, number>>();

  get size(): number {
    return this.#sums.size;
  }

  add(topologyKey: string, labels: Labels, amount: number): void {
    const value = labels[topologyKey];
    if (value === undefined || amount === 0) return;
    const sums = this.#sums.get(topologyKey) ?? new Map<string, number>();
    this.#sums.set(topologyKey, sums);
    const sum = (sums.get(value) ?? 0) + amount;
    if (sum === 0) sums.delete(value);
    else sums.set(value, sum);
    if (sums.size === 0) this.#sums.delete(topologyKey);
  }

  at(topologyKey: string, labels: Labels): number {
    const value = labels[topologyKey];
    return value === undefined ? 0 : (this.#sums.get(topologyKey)?.get(value) ?? 0);
  }

  sumFor(labels: Labels): number {
    let sum = 0;
    for (const topologyKey of this.#sums.keys()) sum += this.at(topologyKey, labels);
    return sum;
  }

  anyFor(labels: Labels): boolean {
    return [...this.#sums.keys()].some((topologyKey) => this.at(topologyKey, labels) > 0);
  }
}
