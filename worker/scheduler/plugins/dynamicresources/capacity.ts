// Capacity of devices that several claims share (upstream: `consumable_capacity.go`).
import type {
  CapacityRequestPolicy,
  CapacityRequestPolicyRange,
  Device,
  DeviceCapacity,
} from "../../../../shared/k8s/api/resource-v1.ts";
import {
  type Quantity,
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityValue,
  zeroQuantity,
} from "../../../../shared/k8s/quantity.ts";
import type { AskedDevices } from "./requests.ts";

/** Amounts by the name of the capacity. */
export type Consumed = Readonly<Record<string, string>>;

/** Whether what is asked of each capacity of a device is still there, beside what has been taken. */
export function hasRoom(device: Device, { capacity: asked }: AskedDevices, taken: readonly Consumed[]): boolean {
  const capacities = device.capacity ?? {};
  if (Object.keys(asked?.requests ?? {}).some((name) => !Object.hasOwn(capacities, name))) return false;
  return Object.entries(capacities).every(([name, capacity]) => {
    const consumed = consumedOf(capacity, asked?.requests?.[name]);
    if (violates(consumed, capacity.requestPolicy)) return false;
    const total = taken.reduce((sum, one) => addQuantities(sum, amount(one[name])), amount(consumed));
    return compareQuantities(total, amount(capacity.value)) <= 0;
  });
}

/** What an allocation takes of a shared device. */
export function consumption({ capacity = {} }: Device, { capacity: asked }: AskedDevices): Consumed {
  return Object.fromEntries(
    Object.entries(capacity).map(([name, one]) => [name, consumedOf(one, asked?.requests?.[name])]),
  );
}

/** What is asked, rounded up to what the device gives out; all of it, or the default, where nothing is asked. */
function consumedOf({ value, requestPolicy: policy }: DeviceCapacity, asked: string | undefined): string {
  if (asked === undefined) return policy?.default ?? value;
  if (policy?.validRange?.min !== undefined) return inRange(asked, policy.validRange.min, policy.validRange.step);
  const least = policy?.validValues?.find((one) => compareQuantities(amount(asked), amount(one)) <= 0);
  return least ?? asked;
}

function inRange(asked: string, min: string, step: string | undefined): string {
  if (compareQuantities(amount(asked), amount(min)) < 0) return min;
  if (step === undefined) return asked;
  const steps = Math.ceil((quantityValue(asked) - quantityValue(min)) / quantityValue(step));
  const total = BigInt(quantityValue(min) + quantityValue(step) * steps);
  return formatQuantity({ nanos: total * 1_000_000_000n, format: "BinarySI" });
}

function violates(consumed: string, policy: CapacityRequestPolicy | undefined): boolean {
  if (!policy || consumed === policy.default) return false;
  if (policy.validRange) return isOutside(consumed, policy.validRange);
  const valid = policy.validValues ?? [];
  return valid.length > 0 && !valid.some((one) => compareQuantities(amount(consumed), amount(one)) === 0);
}

function isOutside(consumed: string, { min = "0", max, step }: CapacityRequestPolicyRange): boolean {
  if (max !== undefined && compareQuantities(amount(consumed), amount(max)) > 0) return true;
  return step !== undefined && (quantityValue(consumed) - quantityValue(min)) % quantityValue(step) !== 0;
}

function amount(text: string | undefined): Quantity {
  return parseQuantity(text ?? "0") ?? zeroQuantity;
}
