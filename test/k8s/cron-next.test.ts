import { describe, expect, test } from "vitest";
import { parseCron } from "../../shared/k8s/cron/cron.ts";
import { nextCronMs } from "../../shared/k8s/cron/cron-next.ts";
import { rfc3339In } from "../../shared/k8s/cron/zoned-time.ts";

function next(text: string, after: string, timeZone = "UTC", times = 1): string[] {
  const schedule = parseCron(text);
  if ("error" in schedule) throw new Error(schedule.error);
  const dates: string[] = [];
  let ms: number | undefined = Date.parse(after);
  for (let at = 0; at < times && ms !== undefined; at++) {
    ms = nextCronMs(schedule, ms, timeZone);
    if (ms !== undefined) dates.push(rfc3339In(timeZone, ms));
  }
  return dates;
}

// The table of the library's own tests, in UTC.
test.each([
  ["0/15 * * * *", "2012-07-09T14:45:00Z", "2012-07-09T15:00:00Z"],
  ["0/15 * * * *", "2012-07-09T14:59:00Z", "2012-07-09T15:00:00Z"],
  ["0/15 * * * *", "2012-07-09T14:59:59Z", "2012-07-09T15:00:00Z"],
  ["20-35/15 * * * *", "2012-07-09T15:45:00Z", "2012-07-09T16:20:00Z"],
  ["*/15 * * * *", "2012-07-09T23:46:00Z", "2012-07-10T00:00:00Z"],
  ["20-35/15 * * * *", "2012-07-09T23:45:00Z", "2012-07-10T00:20:00Z"],
  ["0 0 9 4-10 *", "2012-07-09T23:35:00Z", "2012-08-09T00:00:00Z"],
  ["0 0 */5 4,8,10 Mon", "2012-07-09T23:35:00Z", "2012-08-01T00:00:00Z"],
  ["0 0 */5 10 Mon", "2012-07-09T23:35:00Z", "2012-10-01T00:00:00Z"],
  ["0 0 * 2 Mon", "2012-07-09T23:35:00Z", "2013-02-04T00:00:00Z"],
  ["0 0 * 2 Mon/2", "2012-07-09T23:35:00Z", "2013-02-01T00:00:00Z"],
  ["0 0 29 2 ?", "2012-07-09T23:35:00Z", "2016-02-29T00:00:00Z"],
  ["59 23 31 2 *", "2012-07-09T23:35:00Z", undefined],
  ["@hourly", "2012-07-09T15:00:30Z", "2012-07-09T16:00:00Z"],
  ["@daily", "2012-07-09T15:00:30Z", "2012-07-10T00:00:00Z"],
  ["@weekly", "2012-07-09T15:00:30Z", "2012-07-15T00:00:00Z"],
  ["@monthly", "2012-07-09T15:00:30Z", "2012-08-01T00:00:00Z"],
  ["@yearly", "2012-07-09T15:00:30Z", "2013-01-01T00:00:00Z"],
  ["@every 90s", "2012-07-09T15:00:30.400Z", "2012-07-09T15:02:00Z"],
  ["30 6-16/4 * * 1-5", "2012-07-06T14:30:00Z", "2012-07-09T06:30:00Z"],
])("%s after %s is correct", (text, after, expected) => {
  expect(next(text, after)[0]).toBe(expected);
});

describe("a time zone of a schedule", () => {
  test("has the hours of its local time", () => {
    expect(next("0 9 * * *", "2026-01-15T12:00:00Z", "America/New_York")).toEqual(["2026-01-15T09:00:00-05:00"]);
    expect(next("30 2 * * *", "2026-01-15T12:00:00Z", "Asia/Kolkata")).toEqual(["2026-01-16T02:30:00+05:30"]);
  });

  test("skips the start in an hour that spring omits", () => {
    expect(next("30 2 * * *", "2026-03-28T12:00:00Z", "Europe/Berlin", 2)).toEqual([
      "2026-03-30T02:30:00+02:00",
      "2026-03-31T02:30:00+02:00",
    ]);
    expect(next("30 * * * *", "2026-03-29T00:00:00Z", "Europe/Berlin", 2)).toEqual([
      "2026-03-29T01:30:00+01:00",
      "2026-03-29T03:30:00+02:00",
    ]);
  });

  test("has two starts in an hour that autumn repeats", () => {
    expect(next("30 2 * * *", "2026-10-24T12:00:00Z", "Europe/Berlin", 3)).toEqual([
      "2026-10-25T02:30:00+02:00",
      "2026-10-25T02:30:00+01:00",
      "2026-10-26T02:30:00+01:00",
    ]);
  });

  test("passes over an omitted day", () => {
    // Samoa went from the 29th to the 31st.
    expect(next("0 9 * * *", "2011-12-29T12:00:00Z", "Pacific/Apia", 2)).toEqual([
      "2011-12-29T09:00:00-10:00",
      "2011-12-31T09:00:00+14:00",
    ]);
    expect(next("33 * 1-2 * *", "2011-12-29T12:00:00Z", "Pacific/Apia")).toEqual(["2012-01-01T00:33:00+14:00"]);
  });

  test("keeps a day whose midnight is omitted", () => {
    // Clocks in Sao Paulo went from midnight to one.
    expect(next("0 9 4 11 *", "2018-11-01T12:00:00Z", "America/Sao_Paulo")).toEqual(["2018-11-04T09:00:00-02:00"]);
  });
});
