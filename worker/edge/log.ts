// What the edge says of itself: one line of JSON for an error or a slow request. Never a token, a body or a query.
import { traceIdOf } from "./trace.ts";

/** A bug, or what could not be finished now. */
export function report(error: unknown, where: string): void {
  write({ level: "error", where, error: textOf(error) });
}

export interface Served {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** The header `traceparent` of the request, or the one that was made for it. */
  readonly traceparent: string;
}

export function reportSlow({ traceparent, ...served }: Served): void {
  write({ level: "warn", event: "slow_request", ...served, trace: traceIdOf(traceparent) });
}

export function reportFailed({ traceparent, ...served }: Served): void {
  write({ level: "error", event: "failed_request", ...served, trace: traceIdOf(traceparent) });
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by ${textOf(error.cause)}`;
  return (error.stack ?? error.message) + cause;
}

function write(line: object): void {
  console.error(JSON.stringify(line));
}
