// Counters that the devices of a pool share: parts of one physical device draw on the same memory.
import type { Device } from "../../../../shared/k8s/api/resource-v1.ts";
import {
  type Quantity,
  compareQuantities,
  parseQuantity,
  subQuantities,
  zeroQuantity,
} from "../../../../shared/k8s/quantity.ts";
import type { Pool } from "./pools.ts";

/** Whether the counters of a pool suffice for a device beside those that are allocated, or about to be. */
export function hasCounters(pool: Pool, device: Device, isTaken: (device: Device) => boolean): boolean {
  const left = new Map<string, Quantity>();
  for (const { name, counters = {} } of pool.counters) {
    for (const [counter, { value }] of Object.entries(counters)) left.set(`${name}/${counter}`, amount(value));
  }
  const all = [...pool.devices, ...pool.others].map((one) => one.device);
  for (const { consumesCounters = [] } of [...all.filter(isTaken), device]) {
    for (const { counterSet, counters = {} } of consumesCounters) {
      for (const [counter, { value }] of Object.entries(counters)) {
        const key = `${counterSet}/${counter}`;
        left.set(key, subQuantities(left.get(key) ?? zeroQuantity, amount(value)));
      }
    }
  }
  return [...left.values()].every((quantity) => compareQuantities(quantity, zeroQuantity) >= 0);
}

function amount(text: string): Quantity {
  return parseQuantity(text) ?? zeroQuantity;
}
