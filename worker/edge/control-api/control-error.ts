// A refusal of the control API: what `/v1` answers as `{ error: { code, message, field?, scope? } }`.
import type { ErrorBody, ErrorStatus } from "../../../shared/contract/error.ts";

export type ControlErrorStatus = ErrorStatus;

export class ControlError extends Error {
  override name = "ControlError";
  readonly status: ControlErrorStatus;
  readonly code: string;
  readonly field: string | undefined;
  /** What is missing. */
  readonly scope: string | undefined;

  constructor(status: ControlErrorStatus, code: string, message: string, field?: string, scope?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
    this.scope = scope;
  }

  toBody(): ErrorBody {
    const { code, message, field, scope } = this;
    return { error: { code, message, ...(field ? { field } : {}), ...(scope ? { scope } : {}) } };
  }
}
