// Leases of requests: what a request works on is its own for some seconds, which it extends while it lives.
import { limits } from "../../../shared/base/limits.ts";
import type { ControlApiServer } from "./server.ts";

/** Extends a lease until the work has ended, or `renew` returns false. A renewal that fails is reported, and the next one is tried. */
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
