// Functions of sprig on times. The time zone of the page's shell is UTC.
import type { Clock } from "../../../../../shared/base/clock.ts";
import { define, type Functions } from "../template/builtins.ts";
import { CallError } from "../template/errors.ts";
import { Struct, textOf } from "../template/values.ts";
import { integerOf } from "./numbers.ts";

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const two = (value: number) => String(value).padStart(2, "0");

type Write = (date: Date) => string;

/** The elements of Go's layouts, longer ones first. */
const elements: readonly (readonly [string, Write])[] = [
  ["January", (date) => months[date.getUTCMonth()] ?? ""],
  ["Jan", (date) => (months[date.getUTCMonth()] ?? "").slice(0, 3)],
  ["Monday", (date) => days[date.getUTCDay()] ?? ""],
  ["Mon", (date) => (days[date.getUTCDay()] ?? "").slice(0, 3)],
  ["MST", () => "UTC"],
  ["2006", (date) => String(date.getUTCFullYear()).padStart(4, "0")],
  ["Z07:00", () => "Z"],
  ["Z0700", () => "Z"],
  ["-07:00", () => "+00:00"],
  ["-0700", () => "+0000"],
  ["-07", () => "+00"],
  [
    "002",
    (date) =>
      String(Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1).padStart(3, "0"),
  ],
  [".000000000", (date) => `.${String(date.getUTCMilliseconds()).padStart(3, "0")}000000`],
  [".000000", (date) => `.${String(date.getUTCMilliseconds()).padStart(3, "0")}000`],
  [".000", (date) => `.${String(date.getUTCMilliseconds()).padStart(3, "0")}`],
  ["01", (date) => two(date.getUTCMonth() + 1)],
  ["02", (date) => two(date.getUTCDate())],
  ["_2", (date) => String(date.getUTCDate()).padStart(2)],
  ["03", (date) => two(date.getUTCHours() % 12 || 12)],
  ["04", (date) => two(date.getUTCMinutes())],
  ["05", (date) => two(date.getUTCSeconds())],
  ["06", (date) => two(date.getUTCFullYear() % 100)],
  ["15", (date) => two(date.getUTCHours())],
  ["PM", (date) => (date.getUTCHours() < 12 ? "AM" : "PM")],
  ["pm", (date) => (date.getUTCHours() < 12 ? "am" : "pm")],
  ["1", (date) => String(date.getUTCMonth() + 1)],
  ["2", (date) => String(date.getUTCDate())],
  ["3", (date) => String(date.getUTCHours() % 12 || 12)],
  ["4", (date) => String(date.getUTCMinutes())],
  ["5", (date) => String(date.getUTCSeconds())],
];

const layoutPattern = new RegExp(elements.map(([name]) => name.replace(".", "\\.")).join("|"), "g");
const writers = new Map(elements);

/** Formats a time in UTC by a layout of Go. */
export function formatDate(layout: string, date: Date): string {
  return layout.replaceAll(layoutPattern, (name) => writers.get(name)?.(date) ?? name);
}

function time(ms: number): Struct {
  const date = new Date(ms);
  const zone = { UTC: () => time(ms), Local: () => time(ms) };
  return new Struct(
    "time.Time",
    {},
    {
      text: formatDate("2006-01-02 15:04:05.000 -0700 MST", date),
      json: date.toISOString(),
      methods: {
        ...zone,
        Format: (layout) => formatDate(textOf(layout), date),
        Unix: () => BigInt(Math.floor(ms / 1000)),
        UnixMilli: () => BigInt(ms),
        UnixNano: () => BigInt(ms) * 1_000_000n,
        Year: () => BigInt(date.getUTCFullYear()),
        Month: () => months[date.getUTCMonth()],
        Day: () => BigInt(date.getUTCDate()),
        Hour: () => BigInt(date.getUTCHours()),
        Minute: () => BigInt(date.getUTCMinutes()),
        Second: () => BigInt(date.getUTCSeconds()),
        Weekday: () => days[date.getUTCDay()],
        String: () => formatDate("2006-01-02 15:04:05.000 -0700 MST", date),
      },
    },
  );
}

function msOf(value: unknown, nowMs: number): number {
  if (value instanceof Struct && value.type === "time.Time" && typeof value.json === "string")
    return Date.parse(value.json);
  if (typeof value === "bigint") return Number(value) * 1000;
  return nowMs;
}

/** The nanoseconds of a duration such as `1h30m`; undefined if it is none. */
function durationOf(text: string): number | undefined {
  const units: Readonly<Record<string, number>> = {
    ns: 1e-6,
    us: 1e-3,
    µs: 1e-3,
    ms: 1,
    s: 1000,
    m: 60_000,
    h: 3_600_000,
  };
  if (text === "0") return 0;
  if (!/^[+-]?((\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  let ms = 0;
  for (const [, amount = "0", unit = ""] of text
    .replace(/^[+-]/, "")
    .matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/gy))
    ms += Number(amount) * (units[unit] ?? 0);
  return text.startsWith("-") ? -ms : ms;
}

function durationText(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const sign = ms < 0 ? "-" : "";
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds % 60}s`;
  return minutes > 0 ? `${sign}${minutes}m${seconds % 60}s` : `${sign}${seconds}s`;
}

function roundedDuration(ms: number): string {
  const units: readonly (readonly [number, string])[] = [
    [365 * 86_400_000, "y"],
    [30 * 86_400_000, "mo"],
    [86_400_000, "d"],
    [3_600_000, "h"],
    [60_000, "m"],
    [1000, "s"],
  ];
  const size = Math.abs(ms);
  const [unitMs, letter] = units.find(([unit]) => size >= unit) ?? [1000, "s"];
  return `${ms < 0 ? "-" : ""}${Math.floor(size / unitMs)}${letter}`;
}

function parseDate(layout: string, text: string): number {
  const names: string[] = [];
  const source = layout.replaceAll(/[\\^$*+?()[\]{}|]/g, "\\$&").replaceAll(layoutPattern, (name) => {
    names.push(name);
    return /^\d|_/.test(name) ? "(\\d+)" : /^[-Z]/.test(name) ? "(Z|[+-]\\d\\d:?\\d*)" : "([\\w.]+)";
  });
  const match = new RegExp(`^${source}$`).exec(text);
  if (!match) throw new CallError(`parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: cannot parse`);
  const value = (...options: readonly string[]) => {
    const at = names.findIndex((name) => options.includes(name));
    return at < 0 ? undefined : match[at + 1];
  };
  const month = value("January", "Jan");
  const named = month === undefined ? -1 : months.findIndex((name) => name.slice(0, 3) === month.slice(0, 3));
  const numeric = Number(value("01", "1") ?? "1") - 1;
  const [, sign = "+", hours = "0", minutes = "0"] =
    /^([+-])(\d\d):?(\d*)$/.exec(value("Z07:00", "-07:00", "-0700", "Z0700") ?? "") ?? [];
  const offset = (Number(hours) * 60 + Number(minutes || "0")) * 60_000 * (sign === "-" ? -1 : 1);
  return (
    Date.UTC(
      Number(value("2006") ?? "1970"),
      named >= 0 ? named : numeric,
      Number(value("02", "2", "_2") ?? "1"),
      Number(value("15", "03", "3") ?? "0"),
      Number(value("04", "4") ?? "0"),
      Number(value("05", "5") ?? "0"),
    ) - offset
  );
}

export function dateFunctions(clock: Clock): Functions {
  const date = (layout: string, value: unknown) => formatDate(layout, new Date(msOf(value, clock.nowMs())));
  const modify = (text: string, value: unknown) => {
    const ms = durationOf(text);
    return ms === undefined ? value : time(msOf(value, clock.nowMs()) + ms);
  };
  const mustModify = (text: string, value: unknown) => {
    if (durationOf(text) === undefined) throw new CallError(`time: invalid duration ${JSON.stringify(text)}`);
    return modify(text, value);
  };
  const inZone = define("sas", (layout: string, value: unknown, _zone: string) => date(layout, value));
  return {
    now: define("", () => time(clock.nowMs())),
    date: define("sa", date),
    dateInZone: inZone,
    date_in_zone: inZone,
    htmlDate: define("a", (value: unknown) => date("2006-01-02", value)),
    htmlDateInZone: define("as", (value: unknown, _zone: string) => date("2006-01-02", value)),
    dateModify: define("sa", modify),
    date_modify: define("sa", modify),
    mustDateModify: define("sa", mustModify),
    must_date_modify: define("sa", mustModify),
    toDate: define("ss", (layout: string, text: string) => {
      try {
        return time(parseDate(layout, text));
      } catch {
        return time(Date.UTC(1, 0, 1));
      }
    }),
    mustToDate: define("ss", (layout: string, text: string) => time(parseDate(layout, text))),
    unixEpoch: define("a", (value: unknown) => String(Math.floor(msOf(value, clock.nowMs()) / 1000))),
    ago: define("a", (value: unknown) => durationText(clock.nowMs() - msOf(value, clock.nowMs()))),
    duration: define("a", (seconds: unknown) => durationText(Number(integerOf(seconds)) * 1000)),
    durationRound: define("a", (value: unknown) =>
      roundedDuration(
        value instanceof Struct
          ? clock.nowMs() - msOf(value, clock.nowMs())
          : typeof value === "string"
            ? (durationOf(value) ?? 0)
            : Number(integerOf(value)) / 1e6,
      ),
    ),
  };
}
