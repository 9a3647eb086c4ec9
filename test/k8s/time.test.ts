import { describe, expect, test } from "vitest";
import { percentOf, getScaledValueFromIntOrPercent } from "../../shared/k8s/intstr.ts";
import { age, humanDuration, parseTime, rfc3339, rfc3339Micro } from "../../shared/k8s/time.ts";

const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;

describe("time", () => {
  test.each([
    [-3 * s, "<invalid>"],
    [-s, "0s"],
    [0, "0s"],
    [119 * s, "119s"],
    [120 * s, "2m"],
    [9 * m + 59 * s, "9m59s"],
    [10 * m + 5 * s, "10m"],
    [179 * m, "179m"],
    [3 * h, "3h"],
    [7 * h + 59 * m, "7h59m"],
    [47 * h, "47h"],
    [48 * h, "2d"],
    [7 * d + 5 * h, "7d5h"],
    [8 * d + 5 * h, "8d"],
    [729 * d, "729d"],
    [730 * d, "2y"],
    [731 * d, "2y1d"],
    [8 * 365 * d + d, "8y"],
  ])("a duration of %d ms is shown as kubectl does: %s", (ms, expected) => {
    expect(humanDuration(ms)).toBe(expected);
  });
  test("timestamps have seconds, micro times six digits", () => {
    const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    expect(rfc3339(at)).toBe("2026-01-02T03:04:05Z");
    expect(rfc3339Micro(at)).toBe("2026-01-02T03:04:05.678000Z");
    expect(parseTime("2026-01-02T03:04:05.678000Z")).toBe(at);
    expect(parseTime("2026-01-02T04:04:05+01:00")).toBe(at - 678);
    expect(parseTime("yesterday")).toBeNaN();
  });
  test("an absent time has no age", () => {
    expect(age(undefined, 0)).toBe("<unknown>");
    expect(age(null, 0)).toBe("<unknown>");
    expect(age("1970-01-01T00:00:00Z", 5 * s)).toBe("5s");
  });
});

describe("a number or percentage", () => {
  test("a percentage is a share of the total, rounded as asked", () => {
    expect(getScaledValueFromIntOrPercent("25%", 3, true)).toBe(1);
    expect(getScaledValueFromIntOrPercent("25%", 3, false)).toBe(0);
    expect(getScaledValueFromIntOrPercent(2, 3, false)).toBe(2);
    expect(getScaledValueFromIntOrPercent("x", 3, true)).toBe(0);
    expect(percentOf("100%")).toBe(100);
    expect(percentOf("100")).toBeUndefined();
  });
});
