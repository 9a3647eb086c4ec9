// The parser of CronJob schedules, with the messages of upstream's parser.
import { knownTimeZone } from "./time-zones.ts";

/** The times of a schedule: sets of minutes, hours and so on as bits, or a fixed interval. */
export type CronSchedule =
  | { readonly every: undefined; readonly fields: CronFields; readonly timeZone: string | undefined }
  | { readonly every: number };

export interface CronFields {
  readonly minute: bigint;
  readonly hour: bigint;
  readonly dayOfMonth: bigint;
  readonly month: bigint;
  readonly dayOfWeek: bigint;
}

/** The bit of a field that is `*`. If either field of days has it, both must match; otherwise one is enough. */
export const starBit = 1n << 63n;

/** Returns the schedule, or the error in its text. */
export function parseCron(text: string): CronSchedule | { readonly error: string } {
  try {
    return parse(text);
  } catch (thrown) {
    if (thrown instanceof CronError) return { error: thrown.message };
    throw thrown;
  }
}

class CronError extends Error {}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const bounds = {
  minute: { min: 0, max: 59 },
  hour: { min: 0, max: 23 },
  dayOfMonth: { min: 1, max: 31 },
  month: { min: 1, max: 12, names: months },
  dayOfWeek: { min: 0, max: 6, names: days },
} satisfies Record<keyof CronFields, Bounds>;

const descriptors: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

function parse(spec: string): CronSchedule {
  if (spec === "") throw new CronError("empty spec string");
  const { rest: text, timeZone } = splitTimeZone(spec);
  if (text.startsWith("@every ")) return { every: parseEvery(text) };
  if (text.startsWith("@") && !descriptors[text]) throw new CronError(`unrecognized descriptor: ${text}`);
  const fieldTexts = (descriptors[text] ?? text).split(/\s+/).filter(Boolean);
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fieldTexts;
  if (fieldTexts.length !== 5 || !minute || !hour || !dayOfMonth || !month || !dayOfWeek) {
    throw new CronError(`expected exactly 5 fields, found ${fieldTexts.length}: [${fieldTexts.join(" ")}]`);
  }
  const fields = {
    minute: parseField(minute, bounds.minute),
    hour: parseField(hour, bounds.hour),
    dayOfMonth: parseField(dayOfMonth, bounds.dayOfMonth),
    month: parseField(month, bounds.month),
    dayOfWeek: parseField(dayOfWeek, bounds.dayOfWeek),
  };
  return { every: undefined, fields, timeZone };
}

function splitTimeZone(text: string): { rest: string; timeZone: string | undefined } {
  if (!text.startsWith("TZ=") && !text.startsWith("CRON_TZ=")) return { rest: text, timeZone: undefined };
  const end = text.indexOf(" ");
  // Upstream's parser panics here, and its caller reports the panic.
  if (end < 0) throw new CronError("invalid schedule format: runtime error: slice bounds out of range [:-1]");
  const name = text.slice(text.indexOf("=") + 1, end);
  if (!knownTimeZone(name)) throw new CronError(`provided bad location ${name}: unknown time zone ${name}`);
  return { rest: text.slice(end).trim(), timeZone: name };
}

/** `a-b/n,c`. */
function parseField(text: string, of: Bounds): bigint {
  return text
    .split(",")
    .filter(Boolean)
    .reduce((bits, range) => bits | parseRange(range, of), 0n);
}

function parseRange(text: string, { min, max, names = [] }: Bounds): bigint {
  const [span = "", stepText, ...moreSteps] = text.split("/");
  const [low = "", high, ...moreHyphens] = span.split("-");
  const isStar = low === "*" || low === "?";
  const offset = min;
  const start = isStar ? min : parseNumber(low, names, offset);
  let end = isStar ? max : start;
  if (!isStar && moreHyphens.length > 0) {
    parseNumber(high ?? "", names, offset);
    throw new CronError(`too many hyphens: ${text}`);
  }
  if (!isStar && high !== undefined) end = parseNumber(high, names, offset);
  if (moreSteps.length > 0) throw new CronError(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1 : parseNumber(stepText, [], 0);
  if (stepText !== undefined && high === undefined) end = max;
  if (start < min) throw new CronError(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) throw new CronError(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) throw new CronError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new CronError(`step of range should be a positive number: ${text}`);
  let bits = isStar && step === 1 ? starBit : 0n;
  for (let at = start; at <= end; at += step) bits |= 1n << BigInt(at);
  return bits;
}

function parseNumber(text: string, names: readonly string[], offset: number): number {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + offset;
  if (!/^[+-]?[0-9]+$/.test(text)) {
    throw new CronError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  const value = Number(text);
  if (Math.abs(value) >= 2 ** 63) {
    const why = `strconv.Atoi: parsing ${JSON.stringify(text)}: value out of range`;
    throw new CronError(`failed to parse int from ${text}: ${why}`);
  }
  if (value < 0) throw new CronError(`negative number (${value}) not allowed: ${text}`);
  return value;
}

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Parses an interval into milliseconds: full seconds, at least one, as upstream's `Every`. */
function parseEvery(text: string): number {
  const durationText = text.slice("@every ".length);
  const fail = (why: string) =>
    new CronError(`failed to parse duration ${text}: time: ${why} ${JSON.stringify(durationText)}`);
  const [, sign = "", digits = ""] = /^([+-]?)(.*)$/.exec(durationText) ?? [];
  if (digits === "0") return 1000;
  const terms = [...digits.matchAll(/([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([^0-9.]*)/g)];
  if (digits === "" || terms.map(([term]) => term).join("") !== digits) throw fail("invalid duration");
  let total = 0;
  for (const [, number = "", unit = ""] of terms) {
    if (unit === "") throw fail("missing unit in duration");
    const ms = unitMs[unit];
    if (ms === undefined) throw fail(`unknown unit ${JSON.stringify(unit)} in duration`);
    total += Number(number) * ms;
  }
  return sign === "-" ? 1000 : Math.max(1000, Math.floor(total / 1000) * 1000);
}
