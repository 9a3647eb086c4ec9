// The refusals of faults: of settings that the cluster cannot apply, and of the requests that a fault hits.
import type { FaultAction } from "../../../../shared/contract/cluster/faults.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import type { FaultTarget } from "../../../api/faults.ts";
import { ConditionProblem } from "../clock/condition.ts";

/** Faults that the cluster cannot apply: the field and the reason. */
export class FaultProblem extends Error {
  override name = "FaultProblem";
  readonly field: string;

  constructor(field: string, message: string) {
    super(`${field}: ${message}`);
    this.field = field;
  }
}

/** Calls a function. Throws `FaultProblem` with the field instead of `ConditionProblem`. */
export function atField<T>(field: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof ConditionProblem) throw new FaultProblem(field, error.message);
    throw error;
  }
}

/** Returns the error with which a fault answers a request, in the words of upstream. */
export function refusedRequest(action: Extract<FaultAction, { status: number }>, target: FaultTarget): ApiError {
  const { status, message, retryAfterSeconds = 1 } = action;
  const [plural = "", ...group] = target.resource.split(".");
  const resource = { group: group.join("."), name: plural };
  switch (status) {
    case 409:
      return message === undefined
        ? ApiError.staleVersion(resource, target.name)
        : ApiError.conflict(resource, target.name, message);
    case 429:
      return ApiError.tooManyRequests(message ?? "too many requests, please try again later", retryAfterSeconds);
    case 500:
      return ApiError.internal(message ?? "an error on the server has prevented the request from succeeding");
    case 503:
      return new ApiError(503, "ServiceUnavailable", message ?? "the server is currently unable to handle the request");
    case 504:
      return new ApiError(504, "Timeout", message ?? "Timeout: request did not complete within the allotted timeout");
  }
}
