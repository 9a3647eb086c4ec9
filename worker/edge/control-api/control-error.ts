// An error of the control API, encoded as a problem of RFC 9457 with `error: { code, message, field?, limit?, problems?, scope? }`.
import {
  type ErrorBody,
  type ErrorStatus,
  type FieldProblem,
  type ManifestProblem,
  problemOf,
} from "../../../shared/contract/error.ts";

export type ControlErrorStatus = ErrorStatus;

/** Optional members of an error (see `errorBody`), and response headers. */
interface ErrorDetails {
  readonly limit?: ErrorBody["error"]["limit"];
  readonly problems?: readonly ManifestProblem[];
  /** Every invalid field and parameter. The error's message is the first one. */
  readonly errors?: readonly FieldProblem[];
  /** The missing scope. */
  readonly scope?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The refused credential, or the resource that it tried to access. Failures are counted by it; too many are answered with 429. */
  readonly credential?: string;
}

/** Returns the error for a client with too many failed credentials. */
export function tooManyFailures(seconds: number): ControlError {
  const message = "too many failed authentication attempts; correct credentials are still accepted";
  return new ControlError(429, "too_many_failures", message, undefined, {
    headers: { "retry-after": String(seconds) },
  });
}

export class ControlError extends Error {
  override name = "ControlError";
  readonly status: ControlErrorStatus;
  readonly code: string;
  readonly field: string | undefined;
  readonly more: ErrorDetails;

  constructor(status: ControlErrorStatus, code: string, message: string, field?: string, more: ErrorDetails = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
    this.more = more;
  }

  toBody(requestId?: string): ErrorBody {
    const { status, code, message, field, more } = this;
    const { limit, problems, scope, errors } = more;
    const error = {
      ...{ code, message, ...(field ? { field } : {}) },
      ...(limit ? { limit } : {}),
      ...(problems ? { problems: [...problems] } : {}),
      ...(scope ? { scope } : {}),
    };
    return problemOf(status, error, { requestId, errors });
  }
}
