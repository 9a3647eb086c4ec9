// When a schedule is next due, also over changes of the clocks (upstream's cron library: `SpecSchedule.Next`).
import { type CronFields, type CronSchedule, starBit } from "./cron.ts";
import { momentOf, offsetMs } from "./zoned-time.ts";

const minuteMs = 60_000;
const hourMs = 3_600_000;
/** A schedule that is not due within these years never is: the 31st of February. */
const yearsAhead = 5;

/** The first moment after `afterMs`; undefined where there is none. A zone in the schedule's own text wins. */
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
  // A field that is moved on sets all below it back to their beginning, but only once: then they are there.
  while (clock(ms).getUTCFullYear() <= lastYear) {
    const month = moveOn(ms, (at) => has(fields.month, clock(at).getUTCMonth() + 1), {
      begin: (at) => startOf(timeZone, clock(at), 1),
      step: (at) => addDate(timeZone, clock(at), 1, 0),
      isWrap: (at) => clock(at).getUTCMonth() === 0,
    });
    const day = then(month, (at) =>
      moveOn(at, (one) => dayMatches(fields, clock(one)), {
        begin: (one) => startOf(timeZone, clock(one), clock(one).getUTCDate()),
        step: (one) => forward(one, nearMidnight(addDate(timeZone, clock(one), 0, 1), clock)),
        isWrap: (one) => clock(one).getUTCDate() === 1,
      }),
    );
    const hour = then(day, (at) =>
      moveOn(at, (one) => has(fields.hour, clock(one).getUTCHours()), {
        begin: (one) => one - (clock(one).getTime() % hourMs),
        step: (one) => one + hourMs,
        isWrap: (one) => clock(one).getUTCHours() === 0,
      }),
    );
    const minute = then(hour, (at) =>
      moveOn(at, (one) => has(fields.minute, clock(one).getUTCMinutes()), {
        begin: (one) => one - (one % minuteMs),
        step: (one) => one + minuteMs,
        isWrap: (one) => clock(one).getUTCMinutes() === 0,
      }),
    );
    const seconds = clock(minute.ms).getUTCSeconds();
    if (!minute.wrapped && seconds === 0) return minute.ms;
    // Only on the whole minute is it due.
    ms = minute.wrapped ? minute.ms : minute.ms + (60 - seconds) * 1000;
  }
  return undefined;
}

interface Moved {
  readonly ms: number;
  /** The field above has changed: all must be looked at again. */
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

/** Where a zone left out a whole day, upstream's library would go round for ever. */
function forward(ms: number, next: number): number {
  return next > ms ? next : ms + 24 * hourMs;
}

function then(before: Moved, next: (ms: number) => Moved): Moved {
  return before.wrapped ? before : next(before.ms);
}

function has(bits: bigint, value: number): boolean {
  return (bits & (1n << BigInt(value))) !== 0n;
}

/** Where neither of the two is a star, either is enough. */
function dayMatches({ dayOfMonth, dayOfWeek }: CronFields, clock: Date): boolean {
  const ofMonth = has(dayOfMonth, clock.getUTCDate());
  const ofWeek = has(dayOfWeek, clock.getUTCDay());
  const isStarred = ((dayOfMonth | dayOfWeek) & starBit) !== 0n;
  return isStarred ? ofMonth && ofWeek : ofMonth || ofWeek;
}

/** The first moment of a day of the month. */
function startOf(timeZone: string, clock: Date, day: number): number {
  return momentOf(timeZone, Date.UTC(clock.getUTCFullYear(), clock.getUTCMonth(), day));
}

/** The same time of day, months or days later (Go's `AddDate`). */
function addDate(timeZone: string, clock: Date, months: number, days: number): number {
  const [hours, minutes, seconds] = [clock.getUTCHours(), clock.getUTCMinutes(), clock.getUTCSeconds()];
  const month = clock.getUTCMonth() + months;
  const day = clock.getUTCDate() + days;
  return momentOf(timeZone, Date.UTC(clock.getUTCFullYear(), month, day, hours, minutes, seconds));
}

/** Where clocks skip midnight, the moment next to it; upstream's library may pass over the day then, and so does this. */
function nearMidnight(ms: number, clock: ClockAt): number {
  const hours = clock(ms).getUTCHours();
  if (hours === 0) return ms;
  return ms + (hours > 12 ? 24 - hours : -hours) * hourMs;
}
