// A text for a scalar or a list of scalars, which is the same for equal values: the key of lookups in sets and keyed lists.
import { free } from "./pay.ts";
import { type ListValue, type UintValue, type Value, itemsOf, kindOf } from "./values.ts";
import { valueText } from "./value-text.ts";

export function keyText(value: Value): string {
  if (typeof value === "bigint" || typeof value === "number") return `n${value}`;
  switch (kindOf(value)) {
    case "uint":
      return `n${String((value as UintValue).value)}`;
    case "list":
      return `[${Array.from(itemsOf(value as ListValue), (item) => JSON.stringify(keyText(item))).join()}]`;
    default:
      return `${kindOf(value)} ${valueText(value, free)}`;
  }
}
