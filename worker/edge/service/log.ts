// What the edge says of itself: one line of JSON for an error or a slow request. Never a token, a body or a query.
import { limits } from "../../../shared/base/limits.ts";
import { newTraceparent, traceIdOf } from "./trace.ts";

/** A bug, or what could not be finished now. */
export function report(error: unknown, where: string): void {
  write({ level: "error", where, error: textOf(error) });
}

export interface Served {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** Whoever asked said himself how long he waits. */
  readonly isPatient: boolean;
  /** The header `traceparent` that the request came with; undefined: none. */
  readonly traceparent: string | undefined;
}

/** Of what went wrong, or took long though nobody asked to wait. */
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
