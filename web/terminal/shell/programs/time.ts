// `date` and `sleep`.
import { type Call, optionsOf, type Programs } from "../program.ts";
import { Interrupted } from "../streams.ts";
import { durationMs } from "./running.ts";

export const timePrograms: Programs = {
  date,
  sleep: async ({ args, shell, signal }) => {
    if (args.length === 0) throw new Error("missing operand");
    const ms = args.reduce((sum, one) => sum + durationMs(one), 0);
    await shell.machine.kubectl.around.wait(ms, signal);
    if (signal.aborted) throw new Interrupted();
    return 0;
  },
};

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
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

/** In UTC, as in a container. */
function date({ args, shell, out }: Call): number {
  const options = optionsOf(args, "uId:RIr: --utc --iso-8601 --iso-8601= --rfc-3339= --date=");
  const now = shell.machine.kubectl.around.clock.nowMs();
  const wanted = options.value("d", "date");
  const at = wanted === undefined ? now : momentOf(wanted, now);
  if (Number.isNaN(at)) throw new Error(`invalid date '${wanted ?? ""}'`);
  const format = options.rest.find((one) => one.startsWith("+"))?.slice(1);
  const iso = options.has("I", "iso-8601")
    ? options.value("iso-8601") === "seconds"
      ? "%Y-%m-%dT%H:%M:%S+00:00"
      : "%F"
    : undefined;
  const rfc = options.has("rfc-3339") ? "%F %T+00:00" : options.has("R") ? "%a, %d %b %Y %T +0000" : undefined;
  out.write(`${strftime(format ?? iso ?? rfc ?? "%a %b %e %H:%M:%S UTC %Y", new Date(at))}\n`);
  return 0;
}

const spans: Readonly<Record<string, number>> = {
  second: 1,
  sec: 1,
  minute: 60,
  min: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
};

/** `@0`, `2026-01-01T00:00:00Z`, `now`, `yesterday`, `2 hours ago`, `+1 day`. */
function momentOf(text: string, now: number): number {
  if (text === "now" || text === "today" || text === "") return now;
  if (text === "yesterday") return now - 86_400_000;
  if (text === "tomorrow") return now + 86_400_000;
  if (/^@-?\d+$/.test(text)) return Number(text.slice(1)) * 1000;
  const [, sign = "", count, unit = "", ago] = /^([-+]?)\s*(\d+) ?([a-z]+?)s?( ago)?$/.exec(text) ?? [];
  const seconds = spans[unit];
  if (count !== undefined && seconds !== undefined) {
    const isBefore = (sign === "-") !== (ago !== undefined);
    return now + Number(count) * seconds * 1000 * (isBefore ? -1 : 1);
  }
  return Date.parse(/Z|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}${text.includes(":") ? "Z" : ""}`);
}

function strftime(format: string, at: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  const year = at.getUTCFullYear();
  const values: Readonly<Record<string, () => string>> = {
    Y: () => String(year),
    y: () => two(year % 100),
    m: () => two(at.getUTCMonth() + 1),
    d: () => two(at.getUTCDate()),
    e: () => String(at.getUTCDate()).padStart(2),
    H: () => two(at.getUTCHours()),
    I: () => two(at.getUTCHours() % 12 || 12),
    M: () => two(at.getUTCMinutes()),
    S: () => two(at.getUTCSeconds()),
    N: () => String(at.getUTCMilliseconds()).padStart(3, "0").padEnd(9, "0"),
    s: () => String(Math.floor(at.getTime() / 1000)),
    a: () => (days[at.getUTCDay()] ?? "").slice(0, 3),
    A: () => days[at.getUTCDay()] ?? "",
    b: () => (months[at.getUTCMonth()] ?? "").slice(0, 3),
    B: () => months[at.getUTCMonth()] ?? "",
    u: () => String(at.getUTCDay() || 7),
    j: () => String(Math.floor((at.getTime() - Date.UTC(year, 0, 1)) / 86_400_000) + 1).padStart(3, "0"),
    p: () => (at.getUTCHours() < 12 ? "AM" : "PM"),
    Z: () => "UTC",
    z: () => "+0000",
    n: () => "\n",
    t: () => "\t",
    F: () => strftime("%Y-%m-%d", at),
    T: () => strftime("%H:%M:%S", at),
    R: () => strftime("%H:%M", at),
    D: () => strftime("%m/%d/%y", at),
    "%": () => "%",
  };
  return format.replace(/%-?([a-zA-Z%])/g, (whole, letter: string) => {
    const value = values[letter]?.();
    if (value === undefined) return whole;
    return whole.startsWith("%-") ? value.replace(/^0(?=\d)/, "").trimStart() : value;
  });
}
