// The log of the edge: one line of JSON for an error or a slow request. It never contains a token, a body or a query.
import { limits } from "../../../shared/base/limits.ts";
import { newTraceparent, traceIdOf } from "./trace.ts";

/** Logs a bug, or work that a later run must finish. */
export function report(error: unknown, where: string): void {
  write({ level: "error", where, error: textOf(error) });
}

export interface Served {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** True if the client sets its own timeout, so that a long duration is expected. */
  readonly isPatient: boolean;
  /** The `traceparent` header of the request, if it has one. */
  readonly traceparent: string | undefined;
}

/** Logs a failed request, or a slow one without a timeout of the client. */
export function reportServed({ isPatient, traceparent, ...served }: Served): void {
  const isSlow = served.milliseconds >= limits.slowRequestMs && !isPatient;
  if (served.status < 500 && !isSlow) return;
  const trace = traceIdOf(traceparent ?? newTraceparent());
  if (served.status >= 500) write({ level: "error", event: "failed_request", ...served, trace });
  else write({ level: "warn", event: "slow_request", ...served, trace });
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by ${textOf(error.cause)}`;
  return (error.stack ?? error.message) + cause;
}

function write(line: object): void {
  console.error(JSON.stringify(line));
}
