import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalBase64 } from "../../shared/schema/base64.ts";
import { formatDuration, parseDuration } from "../../shared/schema/durations.ts";
import { canonicalTime, formatMoment, parseMoment } from "../../shared/schema/timestamps.ts";

describe("durations", () => {
  test.each([
    ["0s", "0s"],
    ["0", "0s"],
    ["90s", "1m30s"],
    ["1h", "1h0m0s"],
    ["1.5h", "1h30m0s"],
    ["100ms", "100ms"],
    ["1.5us", "1.5µs"],
    ["-2m", "-2m0s"],
    ["1m0.5s", "1m0.5s"],
  ])("%s is %s", (input, text) => {
    const nanos = parseDuration(input);
    expect(typeof nanos === "bigint" ? formatDuration(nanos) : nanos).toBe(text);
  });

  test.each([
    ["", 'time: invalid duration ""'],
    ["1", 'time: missing unit in duration "1"'],
    ["1y", 'time: unknown unit "y" in duration "1y"'],
    ["1toString", 'time: unknown unit "toString" in duration "1toString"'],
    ["999999999h", 'time: invalid duration "999999999h"'],
  ])("%j is invalid", (input, error) => {
    expect(parseDuration(input)).toEqual({ error });
  });

  test("are read back as they were printed", () => {
    const nanos = fc.bigInt({ min: -(1n << 62n), max: 1n << 62n });
    fc.assert(
      fc.property(nanos, (value) => {
        expect(parseDuration(formatDuration(value))).toBe(value);
      }),
    );
  });
});

describe("times", () => {
  test("are read back as they were printed", () => {
    const moments = fc.record({
      seconds: fc.integer({ min: -62135596799, max: 253402300799 }),
      nanos: fc.integer({ min: 0, max: 999_999 }).map((micros) => micros * 1000),
    });
    fc.assert(
      fc.property(moments, (moment) => {
        expect(parseMoment(formatMoment(moment, true), true)).toEqual(moment);
        const seconds = formatMoment(moment, false);
        expect(canonicalTime(seconds, false)).toEqual({ text: seconds });
      }),
    );
  });

  test.each([
    ["2026-13-01T00:00:00Z", 'parsing time "2026-13-01T00:00:00Z": month out of range'],
    ["2026-01-01T24:00:00Z", 'parsing time "2026-01-01T24:00:00Z": hour out of range'],
    ["2023-02-29T00:00:00Z", 'parsing time "2023-02-29T00:00:00Z": day out of range'],
    ["2026-01-01T00:00:00Zx", 'parsing time "2026-01-01T00:00:00Zx": extra text: "x"'],
    [
      "2026-01-01 00:00:00Z",
      'parsing time "2026-01-01 00:00:00Z" as "2006-01-02T15:04:05Z07:00": cannot parse " 00:00:00Z" as "T"',
    ],
  ])("%s is invalid", (input, error) => {
    expect(canonicalTime(input, false)).toEqual({ error });
  });
});

describe("base64", () => {
  test("is canonical for encoded bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = Buffer.from(bytes).toString("base64");
        expect(canonicalBase64(text)).toBe(text);
      }),
    );
  });

  test("has zero in its spare bits", () => {
    expect(canonicalBase64("YR==")).toBe("YQ==");
    expect(canonicalBase64("YWL=")).toBe("YWI=");
  });

  test.each([
    ["YQ", 2],
    ["YQ=", 3],
    ["Y", 1],
    ["a-b_", 1],
    ["=abc", 0],
    ["aé==", 1],
  ])("is invalid in %s at byte %d", (text, badByte) => {
    expect(canonicalBase64(text)).toEqual({ badByte });
  });
});
