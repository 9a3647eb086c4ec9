// Failures of requests to the control API.
import type { ErrorBody } from "../../shared/contract/error.ts";

/** A refusal of the API, or a failed connection (status 0). */
export class ControlFailure extends Error {
  override name = "ControlFailure";
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;
  readonly limit: ErrorBody["error"]["limit"];

  constructor(status: number, { code, message, field, limit }: ErrorBody["error"]) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
    this.limit = limit;
  }
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
