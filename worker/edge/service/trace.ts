// The `traceparent` header of W3C Trace Context. A request without one receives one, which is forwarded.
import { must } from "../../../shared/base/assert.ts";

const shape = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;
const zeros = /^0+$/;

/** Returns the header of the request if it is valid. */
export function traceparentOf({ headers }: Request): string | undefined {
  const traceparent = headers.get("traceparent") ?? "";
  const [, trace = "0", span = "0"] = shape.exec(traceparent) ?? [];
  return zeros.test(trace) || zeros.test(span) ? undefined : traceparent;
}

/** Returns a new `traceparent` that is not sampled. */
export function newTraceparent(): string {
  return `00-${hex(16)}-${hex(8)}-00`;
}

export function traceIdOf(traceparent: string): string {
  return must(shape.exec(traceparent)?.[1], "a trace");
}

function hex(bytes: number): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
