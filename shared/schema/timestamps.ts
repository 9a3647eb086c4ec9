// RFC 3339 times as Go parses them and prints them again: seconds (metav1.Time) or microseconds (metav1.MicroTime), in UTC.

/** A moment: seconds since the Unix epoch, and nanoseconds within the second. */
export interface Moment {
  readonly seconds: number;
  readonly nanos: number;
}

/** Go's zero time, which the API prints as null. */
export const zeroSeconds = -62135596800;

/** Returns the canonical text, null for the zero time, or Go's error. */
export function canonicalTime(text: string, micro: boolean): { text: string | null } | { error: string } {
  if (!micro && isCanonicalSeconds(text)) return { text };
  const parsed = parseMoment(text, micro);
  if ("error" in parsed) return parsed;
  return { text: parsed.seconds === zeroSeconds && parsed.nanos === 0 ? null : formatMoment(parsed, micro) };
}

export function parseMoment(text: string, micro: boolean): Moment | { error: string } {
  const match = (micro ? microShape : secondShape).exec(text);
  if (!match) return { error: whereItEnds(text, micro) };
  const [, year, month, day, hour, minute, second, fraction = "", zone = "Z"] = match;
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const range = outOfRange(y, mo, d, h, mi, s);
  if (range) return { error: `parsing time ${quoted(text)}: ${range} out of range` };
  const date = new Date(0);
  date.setUTCFullYear(y, mo - 1, d);
  date.setUTCHours(h, mi, s);
  const nanos = Number(fraction.slice(1, 10).padEnd(9, "0"));
  return { seconds: date.getTime() / 1000 - zoneSeconds(zone), nanos };
}

/** The second that was printed last, because the times of one object are often equal. */
const printed = { seconds: Number.NaN, text: "" };

export function formatMoment({ seconds, nanos }: Moment, micro: boolean): string {
  if (printed.seconds !== seconds) {
    const iso = new Date(seconds * 1000).toISOString();
    Object.assign(printed, { seconds, text: goYear(iso.slice(0, iso.indexOf("."))) });
  }
  const secondsText = printed.text;
  return micro
    ? `${secondsText}.${Math.floor(nanos / 1000)
        .toString()
        .padStart(6, "0")}Z`
    : `${secondsText}Z`;
}

/** Formats years past 9999 or before 0, to which an offset may lead, like Go: `10000` or `-0001`. */
function goYear(iso: string): string {
  return iso.replace(/^\+0/, "").replace(/^-00/, "-");
}

const secondShape = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)([.,]\d+)?(Z|[+-]\d\d:\d\d)$/;
const microShape = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)([.,]\d{6})(Z|[+-]\d\d:\d\d)$/;
const month31 = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Reports whether the text has the form `2006-01-02T15:04:05Z` with all fields in range, so that it is printed unchanged. */
function isCanonicalSeconds(text: string): boolean {
  return secondsOf(text) !== undefined;
}

/** Returns seconds since the Unix epoch for the most common form, `2006-01-02T15:04:05Z`, or undefined. */
export function secondsOf(text: string): number | undefined {
  if (text.length !== 20 || text[4] !== "-" || text[7] !== "-" || text[10] !== "T") return undefined;
  if (text[13] !== ":" || text[16] !== ":" || text[19] !== "Z") return undefined;
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10)];
  if (year <= 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  const [hour, minute, second] = [digits(text, 11, 13), digits(text, 14, 16), digits(text, 17, 19)];
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return undefined;
  return ((daysTo(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
}

/** Returns the number in a range of the text; -1 if there is anything but digits. */
function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** Returns the days from the Unix epoch to a date. Years begin in March here, so that a leap day is the last day of a year. */
function daysTo(year: number, month: number, day: number): number {
  const of = month > 2 ? year : year - 1;
  const leapDays = Math.floor(of / 4) - Math.floor(of / 100) + Math.floor(of / 400);
  const monthDays = Math.floor((153 * ((month + 9) % 12) + 2) / 5);
  return of * 365 + leapDays + monthDays + day - 719_469;
}

function outOfRange(year: number, month: number, day: number, hour: number, minute: number, second: number) {
  if (month < 1 || month > 12) return "month";
  if (hour > 23) return "hour";
  if (minute > 59) return "minute";
  if (second > 59) return "second";
  return day < 1 || day > daysIn(year, month) ? "day" : undefined;
}

function daysIn(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && !isLeap ? 28 : (month31[month - 1] ?? 0);
}

function zoneSeconds(zone: string): number {
  if (zone === "Z") return 0;
  const seconds = Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(4, 6)) * 60;
  return zone.startsWith("-") ? -seconds : seconds;
}

/** Returns the rest of the text and the element of the layout that it did not match, as Go's error names them. */
function whereItEnds(text: string, micro: boolean): string {
  const layout = micro ? "2006-01-02T15:04:05.000000Z07:00" : "2006-01-02T15:04:05Z07:00";
  const elements: [string, RegExp][] = [
    ["2006", /^\d{4}/],
    ["-", /^-/],
    ["01", /^\d\d/],
    ["-", /^-/],
    ["02", /^\d\d/],
    ["T", /^T/],
    ["15", /^\d\d?/],
    [":", /^:/],
    ["04", /^\d\d/],
    [":", /^:/],
    ["05", /^\d\d/],
    ...(micro ? ([[".000000", /^[.,]\d{6}/]] as [string, RegExp][]) : ([["", /^([.,]\d+)?/]] as [string, RegExp][])),
    ["Z07:00", /^(Z|[+-]\d\d:\d\d)/],
  ];
  let rest = text;
  for (const [element, shape] of elements) {
    const match = shape.exec(rest);
    if (!match) {
      return `parsing time ${quoted(text)} as ${quoted(layout)}: cannot parse ${quoted(rest)} as ${quoted(element)}`;
    }
    rest = rest.slice(match[0].length);
  }
  return `parsing time ${quoted(text)}: extra text: ${quoted(rest)}`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
