// A refusal of the control API: what `/v1` answers as a problem of RFC 9457 with `error: { code, message, field?, limit?, problems?, scope? }`.
import {
  type ErrorBody,
  type ErrorStatus,
  type FieldProblem,
  type ManifestProblem,
  problemOf,
} from "../../../shared/contract/error.ts";

export type ControlErrorStatus = ErrorStatus;

/** What some refusals tell beside: see `errorBody`; and headers of the answer. */
interface More {
  readonly limit?: ErrorBody["error"]["limit"];
  readonly problems?: readonly ManifestProblem[];
  /** All fields and parameters that are wrong; the error itself is of the first. */
  readonly errors?: readonly FieldProblem[];
  /** What is missing. */
  readonly scope?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The wrong credential that is refused, or as much as says at what it aims: too many of them are answered 429. */
  readonly credential?: string;
}

/** What a request with too many wrong credentials before it is answered. */
export function tooManyFailures(seconds: number): ControlError {
  const message = "too many wrong credentials came from there lately: a right one is accepted all the same";
  return new ControlError(429, "too_many_failures", message, undefined, {
    headers: { "retry-after": String(seconds) },
  });
}

export class ControlError extends Error {
  override name = "ControlError";
  readonly status: ControlErrorStatus;
  readonly code: string;
  readonly field: string | undefined;
  readonly more: More;

  constructor(status: ControlErrorStatus, code: string, message: string, field?: string, more: More = {}) {
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
