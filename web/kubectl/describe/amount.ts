// Quantities as descriptions print them.
import { formatQuantity, parseQuantity } from "../../../shared/k8s/quantity.ts";

/** In canonical form; what is no quantity as it is. */
export function amount(value: unknown): string {
  const text = String(value);
  const quantity = parseQuantity(text);
  return quantity ? formatQuantity(quantity) : text;
}
