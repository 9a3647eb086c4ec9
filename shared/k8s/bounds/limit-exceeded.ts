// The error of a request that would exceed a limit of a sandbox: 429 with `Retry-After`, in the words of a quota.
import { limits } from "../../base/limits.ts";
import { ApiError } from "../status.ts";

export interface Excess {
  readonly requested?: number;
  readonly used: number;
  readonly limited: number;
}

/** `what`: the name of the limit, as in `SandboxLimits`. Go clients retry ten times before they show the message. */
export function limitExceeded(what: string, { requested = 1, used, limited }: Excess): ApiError {
  const amounts = `requested: ${what}=${requested}, used: ${what}=${used}, limited: ${what}=${limited}`;
  return ApiError.tooManyRequests(`exceeded limit of this sandbox: ${amounts}`, limits.retryAfterSeconds);
}
