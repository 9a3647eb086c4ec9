// Computes the consumed capacity of shared devices (upstream: `consumable_capacity.go`).
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

/** Quantities by name of the capacity. */
export type Consumed = Readonly<Record<string, string>>;

/** Reports whether a device has the requested amount of each capacity left. */
export function hasRoom(
  device: Device,
  { capacity: requestedCapacity }: AskedDevices,
  taken: readonly Consumed[],
): boolean {
  const capacities = device.capacity ?? {};
  if (Object.keys(requestedCapacity?.requests ?? {}).some((name) => !Object.hasOwn(capacities, name))) return false;
  return Object.entries(capacities).every(([name, capacity]) => {
    const consumed = consumedOf(capacity, requestedCapacity?.requests?.[name]);
    if (violates(consumed, capacity.requestPolicy)) return false;
    const total = taken.reduce(
      (sum, consumedShare) => addQuantities(sum, amount(consumedShare[name])),
      amount(consumed),
    );
    return compareQuantities(total, amount(capacity.value)) <= 0;
  });
}

/** Returns what an allocation consumes of a shared device. */
export function consumption({ capacity = {} }: Device, { capacity: requestedCapacity }: AskedDevices): Consumed {
  return Object.fromEntries(
    Object.entries(capacity).map(([name, deviceCapacity]) => [
      name,
      consumedOf(deviceCapacity, requestedCapacity?.requests?.[name]),
    ]),
  );
}

/** Returns the requested amount, rounded up by the policy of the device. Without a request, it is the default or the full capacity. */
function consumedOf({ value, requestPolicy: policy }: DeviceCapacity, requestedAmount: string | undefined): string {
  if (requestedAmount === undefined) return policy?.default ?? value;
  if (policy?.validRange?.min !== undefined)
    return inRange(requestedAmount, policy.validRange.min, policy.validRange.step);
  const least = policy?.validValues?.find(
    (validValue) => compareQuantities(amount(requestedAmount), amount(validValue)) <= 0,
  );
  return least ?? requestedAmount;
}

function inRange(requestedAmount: string, min: string, step: string | undefined): string {
  if (compareQuantities(amount(requestedAmount), amount(min)) < 0) return min;
  if (step === undefined) return requestedAmount;
  const steps = Math.ceil((quantityValue(requestedAmount) - quantityValue(min)) / quantityValue(step));
  const total = BigInt(quantityValue(min) + quantityValue(step) * steps);
  return formatQuantity({ nanos: total * 1_000_000_000n, format: "BinarySI" });
}

function violates(consumed: string, policy: CapacityRequestPolicy | undefined): boolean {
  if (!policy || consumed === policy.default) return false;
  if (policy.validRange) return isOutside(consumed, policy.validRange);
  const valid = policy.validValues ?? [];
  return valid.length > 0 && !valid.some((validValue) => compareQuantities(amount(consumed), amount(validValue)) === 0);
}

function isOutside(consumed: string, { min = "0", max, step }: CapacityRequestPolicyRange): boolean {
  if (max !== undefined && compareQuantities(amount(consumed), amount(max)) > 0) return true;
  return step !== undefined && (quantityValue(consumed) - quantityValue(min)) % quantityValue(step) !== 0;
}

function amount(text: string | undefined): Quantity {
  return parseQuantity(text ?? "0") ?? zeroQuantity;
}
