// Quantities as descriptions print them.
import { formatQuantity, parseQuantity } from "../../../shared/k8s/quantity.ts";

/** Formats a quantity in canonical form, or returns the text unchanged if it is not a quantity. */
export function amount(value: unknown): string {
  const text = String(value);
  const quantity = parseQuantity(text);
  return quantity ? formatQuantity(quantity) : text;
}
