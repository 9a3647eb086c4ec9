// Timestamps in nanoseconds: parsing of RFC 3339, and clock time in a time zone.
import { offsetMs } from "../k8s/cron/zoned-time.ts";
import { parseMoment } from "../schema/timestamps.ts";

const billion = 1_000_000_000n;

export function momentFrom(ns: bigint): { readonly seconds: number; readonly nanos: number } {
  const rest = ((ns % billion) + billion) % billion;
  return { seconds: Number((ns - rest) / billion), nanos: Number(rest) };
}

/** Returns nanoseconds since 1970, or Go's error message. */
export function parseTimestamp(text: string): bigint | { readonly error: string } {
  const moment = parseMoment(text, false);
  if ("error" in moment) return moment;
  return BigInt(moment.seconds) * billion + BigInt(moment.nanos);
}

/** Returns the local time of a zone as a date in UTC; undefined for an unknown zone. */
export function clockIn(ns: bigint, zone: string): Date | undefined {
  const ms = momentFrom(ns).seconds * 1000;
  const fixed = /^([+-])?(\d\d):(\d\d)$/.exec(zone);
  if (fixed) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3]);
    return new Date(ms + (fixed[1] === "-" ? -minutes : minutes) * 60_000);
  }
  try {
    return new Date(ms + offsetMs(zone, ms));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
