// Quantities: `quantity("1.5Gi").isGreaterThan(quantity("1G"))`.
import { type Library, quantityType } from "../functions.ts";
import { type OpaqueValue, type Value, fail } from "../values.ts";
import { type Quantity, addQuantities, compareQuantities, parseQuantity, subQuantities } from "../../k8s/quantity.ts";

const billion = 1_000_000_000n;
const wrongForm = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

export const quantities: Library = {
  "quantity(string) Quantity": read,
  "isQuantity(string) bool": (text: string) => parseQuantity(text) !== undefined,
  "sign(Quantity) int": (value: OpaqueValue) => BigInt(compareQuantities(of(value), quantityOfInteger(0n))),
  ".isInteger(Quantity) bool": (value: OpaqueValue) => integerOf(of(value)) !== undefined,
  ".asInteger(Quantity) int": (value: OpaqueValue) => integerOf(of(value)) ?? fail("cannot convert value to integer"),
  ".asApproximateFloat(Quantity) double": (value: OpaqueValue) => floatOf(of(value)),
  ".isGreaterThan(Quantity, Quantity) bool": (a: OpaqueValue, b: OpaqueValue) => compareQuantities(of(a), of(b)) > 0,
  ".isLessThan(Quantity, Quantity) bool": (a: OpaqueValue, b: OpaqueValue) => compareQuantities(of(a), of(b)) < 0,
  ".compareTo(Quantity, Quantity) int": (a: OpaqueValue, b: OpaqueValue) => BigInt(compareQuantities(of(a), of(b))),
  ".add(Quantity, Quantity) Quantity": (a: OpaqueValue, b: OpaqueValue) => make(addQuantities(of(a), of(b))),
  ".add(Quantity, int) Quantity": (a: OpaqueValue, b: bigint) => make(addQuantities(of(a), quantityOfInteger(b))),
  ".sub(Quantity, Quantity) Quantity": (a: OpaqueValue, b: OpaqueValue) => make(subQuantities(of(a), of(b))),
  ".sub(Quantity, int) Quantity": (a: OpaqueValue, b: bigint) => make(subQuantities(of(a), quantityOfInteger(b))),
};

function read(text: string): Value {
  const quantity = parseQuantity(text);
  return quantity ? make(quantity) : fail(wrongForm);
}

function make(quantity: Quantity): OpaqueValue {
  return {
    kind: "opaque",
    type: quantityType,
    data: quantity,
    equal: (value) => compareQuantities(quantity, of(value)) === 0,
  };
}

/** Only these functions create values of this type. */
function of({ data }: OpaqueValue): Quantity {
  return data as Quantity;
}

function quantityOfInteger(value: bigint): Quantity {
  return { nanos: value * billion, format: "DecimalExponent" };
}

function integerOf({ nanos }: Quantity): bigint | undefined {
  const value = nanos / billion;
  return nanos % billion === 0n && value < 2n ** 63n && value >= -(2n ** 63n) ? value : undefined;
}

function floatOf({ nanos }: Quantity): number {
  return Number(nanos / billion) + Number(nanos % billion) / 1e9;
}
