// Log lines of the edge, and the trace of a request.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { report, reportServed, type Served } from "../../worker/edge/service/log.ts";
import { newTraceparent, traceIdOf, traceparentOf } from "../../worker/edge/service/trace.ts";

const lines: unknown[] = [];
const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${trace}-00f067aa0ba902b7-01`;

beforeEach(() => {
  lines.length = 0;
  vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(JSON.parse(line)));
});
afterEach(() => vi.restoreAllMocks());

const served: Served = { method: "GET", path: "/v1/x", isPatient: false, traceparent, requestId: undefined };

describe("log lines", () => {
  test("Y6: a fast successful request has no line; a failed or slow one has one line with its trace", () => {
    reportServed(200, 5, () => served);
    reportServed(200, 60_000, () => ({ ...served, isPatient: true }));
    expect(lines).toEqual([]);
    reportServed(500, 5, () => served);
    reportServed(200, 60_000, () => ({ ...served, requestId: "r1" }));
    const logFields = { method: "GET", path: "/v1/x", trace };
    expect(lines).toEqual([
      { level: "error", event: "failed_request", ...logFields, status: 500, milliseconds: 5 },
      { level: "warn", event: "slow_request", ...logFields, request: "r1", status: 200, milliseconds: 60_000 },
    ]);
  });

  test("Y6: an error has one line with its cause", () => {
    report(new Error("a query failed", { cause: new Error("D1_ERROR") }), "somewhere");
    expect(lines).toMatchObject([{ level: "error", where: "somewhere" }]);
    expect(JSON.stringify(lines)).toMatch(/a query failed.*caused by Error: D1_ERROR/);
  });
});

describe("traces", () => {
  const traceOf = (header?: string) =>
    traceparentOf(new Request("http://x", header ? { headers: { traceparent: header } } : {}));

  test("Y6: a request's valid traceparent is used", () => {
    expect(traceOf(traceparent)).toBe(traceparent);
    for (const wrong of [
      undefined,
      "",
      "x",
      `01-${trace}-00f067aa0ba902b7-01`,
      `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
    ]) {
      expect(traceOf(wrong)).toBeUndefined();
    }
  });

  test("Y6: a new traceparent is valid and unique", () => {
    const traceparents = [newTraceparent(), newTraceparent()];
    expect(traceparents.map((traceparent) => traceOf(traceparent))).toEqual(traceparents);
    expect(traceIdOf(traceparents[0] ?? "")).not.toBe(traceIdOf(traceparents[1] ?? ""));
  });
});
