// The next time of a schedule, across daylight-saving changes (upstream's cron library: `SpecSchedule.Next`).
import { type CronFields, type CronSchedule, starBit } from "./cron.ts";
import { momentOf, offsetMs } from "./zoned-time.ts";

const minuteMs = 60_000;
const hourMs = 3_600_000;
/** A schedule that is not due within these years never is, such as the 31st of February. */
const yearsAhead = 5;

/** Returns the first moment after `afterMs`, or undefined if there is none. A zone in the schedule's own text takes precedence. */
export function nextCronMs(schedule: CronSchedule, afterMs: number, timeZone = "UTC"): number | undefined {
  const second = afterMs - (afterMs % 1000);
  if (schedule.every !== undefined) return second + schedule.every;
  return nextOfFields(schedule.fields, second + 1000, schedule.timeZone ?? timeZone);
}

/** The clock of a zone at a moment, read with the UTC getters. */
type ClockAt = (ms: number) => Date;

function nextOfFields(fields: CronFields, fromMs: number, timeZone: string): number | undefined {
  const clock: ClockAt = (ms) => new Date(ms + offsetMs(timeZone, ms));
  const lastYear = clock(fromMs).getUTCFullYear() + yearsAhead;
  let ms = fromMs;
  // Moving a field on resets the fields below it to their first value, only once.
  while (clock(ms).getUTCFullYear() <= lastYear) {
    const month = moveOn(ms, (at) => has(fields.month, clock(at).getUTCMonth() + 1), {
      begin: (at) => startOf(timeZone, clock(at), 1),
      step: (at) => addDate(timeZone, clock(at), 1, 0),
      isWrap: (at) => clock(at).getUTCMonth() === 0,
    });
    const day = then(month, (at) =>
      moveOn(at, (dayMs) => dayMatches(fields, clock(dayMs)), {
        begin: (dayMs) => startOf(timeZone, clock(dayMs), clock(dayMs).getUTCDate()),
        step: (dayMs) => forward(dayMs, nearMidnight(addDate(timeZone, clock(dayMs), 0, 1), clock)),
        isWrap: (dayMs) => clock(dayMs).getUTCDate() === 1,
      }),
    );
    const hour = then(day, (at) =>
      moveOn(at, (hourStartMs) => has(fields.hour, clock(hourStartMs).getUTCHours()), {
        begin: (hourStartMs) => hourStartMs - (clock(hourStartMs).getTime() % hourMs),
        step: (hourStartMs) => hourStartMs + hourMs,
        isWrap: (hourStartMs) => clock(hourStartMs).getUTCHours() === 0,
      }),
    );
    const minute = then(hour, (at) =>
      moveOn(at, (minuteStartMs) => has(fields.minute, clock(minuteStartMs).getUTCMinutes()), {
        begin: (minuteStartMs) => minuteStartMs - (minuteStartMs % minuteMs),
        step: (minuteStartMs) => minuteStartMs + minuteMs,
        isWrap: (minuteStartMs) => clock(minuteStartMs).getUTCMinutes() === 0,
      }),
    );
    const seconds = clock(minute.ms).getUTCSeconds();
    if (!minute.wrapped && seconds === 0) return minute.ms;
    // The schedule is due only on the full minute.
    ms = minute.wrapped ? minute.ms : minute.ms + (60 - seconds) * 1000;
  }
  return undefined;
}

interface Moved {
  readonly ms: number;
  /** Whether the field above has changed, so that all fields must be matched again. */
  readonly wrapped: boolean;
}

interface Moves {
  begin(ms: number): number;
  step(ms: number): number;
  isWrap(ms: number): boolean;
}

function moveOn(ms: number, matches: (ms: number) => boolean, { begin, step, isWrap }: Moves): Moved {
  if (matches(ms)) return { ms, wrapped: false };
  let at = begin(ms);
  do {
    at = step(at);
    if (isWrap(at)) return { ms: at, wrapped: true };
  } while (!matches(at));
  return { ms: at, wrapped: false };
}

/** Returns the next day, or the same time a day later if a zone skips a whole day. Upstream's library would loop forever then. */
function forward(ms: number, next: number): number {
  return next > ms ? next : ms + 24 * hourMs;
}

function then(before: Moved, next: (ms: number) => Moved): Moved {
  return before.wrapped ? before : next(before.ms);
}

function has(bits: bigint, value: number): boolean {
  return (bits & (1n << BigInt(value))) !== 0n;
}

/** Matches the day of the month or the day of the week. If one of them is a star, both must match. */
function dayMatches({ dayOfMonth, dayOfWeek }: CronFields, clock: Date): boolean {
  const ofMonth = has(dayOfMonth, clock.getUTCDate());
  const ofWeek = has(dayOfWeek, clock.getUTCDay());
  const isStarred = ((dayOfMonth | dayOfWeek) & starBit) !== 0n;
  return isStarred ? ofMonth && ofWeek : ofMonth || ofWeek;
}

/** Returns the first moment of a day of the month. */
function startOf(timeZone: string, clock: Date, day: number): number {
  return momentOf(timeZone, Date.UTC(clock.getUTCFullYear(), clock.getUTCMonth(), day));
}

/** Returns the same time of day, months or days later (Go's `AddDate`). */
function addDate(timeZone: string, clock: Date, months: number, days: number): number {
  const [hours, minutes, seconds] = [clock.getUTCHours(), clock.getUTCMinutes(), clock.getUTCSeconds()];
  const month = clock.getUTCMonth() + months;
  const day = clock.getUTCDate() + days;
  return momentOf(timeZone, Date.UTC(clock.getUTCFullYear(), month, day, hours, minutes, seconds));
}

/** Returns the moment next to midnight if the clocks skip midnight. Like upstream's library, this may pass over that day. */
function nearMidnight(ms: number, clock: ClockAt): number {
  const hours = clock(ms).getUTCHours();
  if (hours === 0) return ms;
  return ms + (hours > 12 ? 24 - hours : -hours) * hourMs;
}
