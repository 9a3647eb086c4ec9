// Arithmetic on amounts of resources by name (upstream: `apiserver/pkg/quota`). Pure.
import {
  type Quantity,
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  subQuantities,
  zeroQuantity,
} from "../../../../shared/k8s/quantity.ts";

export type Amounts = ReadonlyMap<string, Quantity>;

export const oneObject: Quantity = { nanos: 1_000_000_000n, format: "DecimalSI" };

export function amountsOf(list: Readonly<Record<string, string>> | undefined): Amounts {
  const entries = Object.entries(list ?? {});
  return new Map(entries.map(([name, text]) => [name, parseQuantity(text) ?? zeroQuantity]));
}

export function listOf(amounts: Amounts): Record<string, string> {
  return Object.fromEntries(sortByName(amounts).map(([name, quantity]) => [name, formatQuantity(quantity)]));
}

export function addTo(sum: Map<string, Quantity>, added: Amounts): void {
  for (const [name, quantity] of added) {
    const before = sum.get(name);
    sum.set(name, before ? addQuantities(before, quantity) : quantity);
  }
}

/** Returns the positive differences of `next` and `previous`. */
export function subtractWithNonNegativeResult(next: Amounts, previous: Amounts): Amounts {
  const more = [...next].map(([name, quantity]): [string, Quantity] => {
    const before = previous.get(name);
    return [name, before ? subQuantities(quantity, before) : quantity];
  });
  return new Map(more.filter(([, { nanos }]) => nanos > 0n));
}

export function only(amounts: Amounts, names: (name: string) => boolean): Amounts {
  return new Map([...amounts].filter(([name]) => names(name)));
}

/** Returns the names of amounts above their limits. */
export function namesAboveLimit(amounts: Amounts, limits: Amounts): ReadonlySet<string> {
  const over = [...amounts].filter(([name, quantity]) => {
    const limit = limits.get(name);
    return limit !== undefined && compareQuantities(quantity, limit) > 0;
  });
  return new Set(over.map(([name]) => name));
}

/** Prints amounts: `limits.cpu=2,pods=3`. */
export function print(amounts: Amounts): string {
  return sortByName(amounts)
    .map(([name, quantity]) => `${name}=${formatQuantity(quantity)}`)
    .join(",");
}

function sortByName(amounts: Amounts): [string, Quantity][] {
  return [...amounts].sort(([a], [b]) => (a < b ? -1 : 1));
}
