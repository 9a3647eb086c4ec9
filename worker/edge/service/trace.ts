// The header `traceparent` of W3C's Trace Context: a request that comes without one gets one, and takes it along.
import { must } from "../../../shared/base/assert.ts";

const shape = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;
const zeros = /^0+$/;

/** What the request came with, if that is one. */
export function traceparentOf({ headers }: Request): string | undefined {
  const given = headers.get("traceparent") ?? "";
  const [, trace = "0", span = "0"] = shape.exec(given) ?? [];
  return zeros.test(trace) || zeros.test(span) ? undefined : given;
}

/** Of nobody's trace; nothing is recorded of it but here. */
export function newTraceparent(): string {
  return `00-${hex(16)}-${hex(8)}-00`;
}

export function traceIdOf(traceparent: string): string {
  return must(shape.exec(traceparent)?.[1], "a trace");
}

function hex(bytes: number): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((one) => one.toString(16).padStart(2, "0")).join("");
}
