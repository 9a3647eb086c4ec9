// Accounts of watchers' memory that are never full.
import { Holdings } from "../../worker/edge/watch/holdings.ts";

export function unboundedHoldings(): Holdings {
  return new Holdings({ sandboxBytes: Number.POSITIVE_INFINITY, totalBytes: Number.POSITIVE_INFINITY });
}
