import { describe, expect, test } from "vitest";
import { type CronSchedule, parseCron, starBit } from "../../shared/k8s/cron/cron.ts";
import { knownTimeZone } from "../../shared/k8s/cron/time-zones.ts";

function parsed(text: string): CronSchedule {
  const schedule = parseCron(text);
  if ("error" in schedule) throw new Error(schedule.error);
  return schedule;
}

const numbers = (bits: bigint) => Array.from({ length: 60 }, (_, at) => at).filter((at) => (bits >> BigInt(at)) & 1n);

describe("a parsed cron schedule", () => {
  test.each([
    ["*/20", [0, 20, 40]],
    ["5", [5]],
    ["50/5", [50, 55]],
    ["1-3,58", [1, 2, 3, 58]],
    ["0-10/5", [0, 5, 10]],
    [",7,", [7]],
  ])("has the minutes %s", (minute, expected) => {
    const schedule = parsed(`${minute} * * * *`);
    expect("fields" in schedule && numbers(schedule.fields.minute)).toEqual(expected);
  });

  test("records a star, unless it has a step", () => {
    const schedule = parsed("* */2 ? jan-mar mon,SUN");
    if (!("fields" in schedule)) throw new Error("no fields");
    const { minute, hour, dayOfMonth, month, dayOfWeek } = schedule.fields;
    expect([minute, hour, dayOfMonth, month, dayOfWeek].map((bits) => (bits & starBit) !== 0n)).toEqual([
      true,
      false,
      true,
      false,
      false,
    ]);
    expect([numbers(month), numbers(dayOfWeek)]).toEqual([
      [1, 2, 3],
      [0, 1],
    ]);
  });

  test("has five fields for a descriptor", () => {
    expect(parsed("@weekly")).toEqual(parsed("0 0 * * 0"));
    expect(parsed("@annually")).toEqual(parsed("0 0 1 1 *"));
  });

  test.each([
    ["@every 1h30m", 5_400_000],
    ["@every 90.9s", 90_000],
    ["@every 1ms", 1000],
  ])("has an interval of whole seconds for %s", (text, every) => {
    expect(parsed(text)).toEqual({ every });
  });

  test("has a time zone before its fields", () => {
    expect(parsed("CRON_TZ=Asia/Tokyo 0 5 * * *")).toMatchObject({ timeZone: "Asia/Tokyo" });
  });
});

describe("a malformed cron schedule", () => {
  test.each([
    ["", "empty spec string"],
    ["* * * * * *", "expected exactly 5 fields, found 6: [* * * * * *]"],
    ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
    ["1/2/3 * * * *", "too many slashes: 1/2/3"],
    ["* 24 * * *", "end of range (24) above maximum (23): 24"],
    ["* * * 0 *", "beginning of range (0) below minimum (1): 0"],
    ["* * * * 7", "end of range (7) above maximum (6): 7"],
    ["+-1 * * * *", 'failed to parse int from +: strconv.Atoi: parsing "+": invalid syntax'],
    ["*/x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ["@never", "unrecognized descriptor: @never"],
    ["@every soon", 'failed to parse duration @every soon: time: invalid duration "soon"'],
    ["@every 5", 'failed to parse duration @every 5: time: missing unit in duration "5"'],
    ["@every 5y", 'failed to parse duration @every 5y: time: unknown unit "y" in duration "5y"'],
    ["TZ=Mars 0 0 * * *", "provided bad location Mars: unknown time zone Mars"],
    ["TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"],
  ])("is refused with upstream's message: %j", (text, error) => {
    expect(parseCron(text)).toEqual({ error });
  });
});

test.each([
  ["UTC", true],
  ["Europe/Paris", true],
  ["America/Argentina/Buenos_Aires", true],
  ["Europe/Kyiv", true],
  ["europe/paris", false],
  ["Mars/Olympus", false],
  ["+01", false],
])("the time zone %s exists: %s", (name, isKnown) => {
  expect(knownTimeZone(name)).toBe(isKnown);
});
