// The fields of timestamps and durations.
import { type Library, paid } from "../functions.ts";
import type { Pay } from "../pay.ts";
import { clockIn, momentFrom } from "../timestamps.ts";
import { type DurationValue, type TimestampValue, type Value, fail } from "../values.ts";

const dayMs = 86_400_000;
/** The additional work of a time in a zone. */
const zoneUnits = 50;

const timestampFields: Readonly<Record<string, (clock: Date) => number>> = {
  getFullYear: (clock) => clock.getUTCFullYear(),
  getMonth: (clock) => clock.getUTCMonth(),
  getDayOfYear: (clock) => Math.floor((clock.getTime() - yearStart(clock)) / dayMs),
  getDayOfMonth: (clock) => clock.getUTCDate() - 1,
  getDate: (clock) => clock.getUTCDate(),
  getDayOfWeek: (clock) => clock.getUTCDay(),
  getHours: (clock) => clock.getUTCHours(),
  getMinutes: (clock) => clock.getUTCMinutes(),
  getSeconds: (clock) => clock.getUTCSeconds(),
};

const units: Readonly<Record<string, (ns: bigint) => bigint>> = {
  getHours: (ns) => ns / 3_600_000_000_000n,
  getMinutes: (ns) => ns / 60_000_000_000n,
  getSeconds: (ns) => ns / 1_000_000_000n,
  getMilliseconds: (ns) => ns / 1_000_000n,
};

export const time: Library = {
  ...Object.fromEntries(Object.entries(timestampFields).flatMap(([name, field]) => ofMoments(name, field))),
  ".getMilliseconds(timestamp) int": ({ ns }: TimestampValue) => millisecondsOf(ns),
  ".getMilliseconds(timestamp, string) int": ({ ns }: TimestampValue) => millisecondsOf(ns),
  ...Object.fromEntries(
    Object.entries(units).map(([name, unit]) => [`.${name}(duration) int`, ({ ns }: DurationValue): Value => unit(ns)]),
  ),
};

function ofMoments(name: string, field: (clock: Date) => number): [string, Library[string]][] {
  const read = (pay: Pay, { ns }: TimestampValue, zone: string): Value => {
    pay(zoneUnits);
    const clock = clockIn(ns, zone);
    return clock ? BigInt(field(clock)) : fail(`unknown time zone ${zone}`);
  };
  return [
    [`.${name}(timestamp) int`, paid((pay: Pay, moment: TimestampValue) => read(pay, moment, "UTC"))],
    [`.${name}(timestamp, string) int`, paid(read)],
  ];
}

function yearStart(clock: Date): number {
  const start = new Date(0);
  start.setUTCFullYear(clock.getUTCFullYear(), 0, 1);
  return start.getTime();
}

function millisecondsOf(ns: bigint): bigint {
  return BigInt(Math.floor(momentFrom(ns).nanos / 1_000_000));
}
