// Leases of requests. A request holds a lease on its resource for some seconds and extends it while it runs.
import { limits } from "../../../shared/base/limits.ts";
import type { ControlApiServer } from "./server.ts";

/** Extends a lease until the work ends or `renew` returns false. A failed renewal is reported and retried. */
export async function whileRenewed<T>(
  { report }: Pick<ControlApiServer, "report">,
  work: Promise<T>,
  renew: () => Promise<boolean>,
): Promise<T> {
  const timer = setInterval(() => {
    renew().then(
      (isHeld) => {
        if (!isHeld) clearInterval(timer);
      },
      (error: unknown) => report(error, "the lease of a request"),
    );
  }, limits.requestRenewMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
