// What is answered to whoever goes on with a cluster that is not there any more, or not as it was.
import { endings } from "../../../shared/contract/endings.ts";
import { ApiError } from "../../../shared/k8s/status.ts";

export function goneError(): ApiError {
  return new ApiError(410, "Gone", endings.gone);
}

/** Returns the response of an expired sandbox. */
export function goneResponse(): Response {
  return refusal(goneError());
}

/** Returns the response of a suspended tenant's sandbox. */
export function suspendedResponse(why: string): Response {
  return refusal(new ApiError(403, "Forbidden", `${endings.suspended}: ${why}`));
}

/** Returns a refusal as a `Status`. */
export function refusal(error: ApiError): Response {
  const headers = { "content-type": "application/json", "cache-control": "no-cache, private" };
  return new Response(`${JSON.stringify(error.toStatus())}\n`, { status: error.code, headers });
}

/** Returns the error of work that started before the cluster was set to another state. */
export function replacedError(): ApiError {
  return ApiError.expired("the sandbox was set to another state meanwhile");
}
