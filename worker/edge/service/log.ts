// The log of the edge: one line of JSON for an error or a slow request. It never contains a token, a body or a query.
import { limits } from "../../../shared/base/limits.ts";
import { count } from "../../metrics/record.ts";
import { newTraceparent, traceIdOf } from "./trace.ts";

/** Logs a bug, or work that a later run must finish. */
export function report(error: unknown, where: string): void {
  count("sandbar_errors_total", "edge");
  write({ level: "error", where, error: textOf(error) });
}

/** Logs a failure that somebody outside causes, and that an operator or owner may have to correct. */
export function note(event: string, why: string): void {
  write({ level: "warn", event, why });
}

export interface Served {
  readonly method: string;
  readonly path: string;
  /** True if the client sets its own timeout, so that a long duration is expected. */
  readonly isPatient: boolean;
  /** The `traceparent` header of the request, if it has one. */
  readonly traceparent: string | undefined;
  /** The `Request-Id` of the answer, which those of the control API have. */
  readonly requestId: string | undefined;
}

/** Logs a failed request, or a slow one without a timeout of the client. `served` is called only for these. */
export function reportServed(status: number, milliseconds: number, served: () => Served): void {
  if (status < 500 && milliseconds < limits.slowRequestMs) return;
  const { method, path, isPatient, traceparent, requestId } = served();
  if (status < 500 && isPatient) return;
  const trace = traceIdOf(traceparent ?? newTraceparent());
  const line = {
    method,
    path,
    status,
    milliseconds,
    trace,
    ...(requestId === undefined ? {} : { request: requestId }),
  };
  if (status >= 500) write({ level: "error", event: "failed_request", ...line });
  else write({ level: "warn", event: "slow_request", ...line });
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by ${textOf(error.cause)}`;
  return (error.stack ?? error.message) + cause;
}

function write(line: object): void {
  console.error(JSON.stringify(line));
}
