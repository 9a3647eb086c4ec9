// Parses and formats dates.

const dayMs = 86_400_000;

const unitsMs: Readonly<Record<string, number>> = {
  sec: 1000,
  second: 1000,
  min: 60_000,
  minute: 60_000,
  hour: 3_600_000,
  day: dayMs,
  week: 7 * dayMs,
  fortnight: 14 * dayMs,
};

/** The longest text that is parsed as a date. */
const longest = 100;

/** Parses `@5`, `2024-01-02 03:04:05`, `yesterday`, `+2 days` or `3 hours ago`. Returns undefined for any other text. */
export function momentOf(dateText: string, nowMs: number): number | undefined {
  const text = dateText.slice(0, longest);
  const seconds = /^@(-?\d+(?:\.\d+)?)$/.exec(text.trim());
  if (seconds) return Number(seconds[1]) * 1000;
  let atMs = nowMs;
  let isKnown = true;
  const left = text
    .replace(
      /\b(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?(Z| ?[-+]\d\d:?\d\d)?/,
      (_, day: string, clock?: string, zone?: string) => {
        atMs = Date.parse(
          `${day}T${clock === undefined ? "00:00:00" : clock.length === 5 ? `${clock}:00` : clock}${(zone ?? "Z").trim()}`,
        );
        return "";
      },
    )
    .replace(
      /\b([A-Za-z]{3},? )?(\d{1,2} [A-Za-z]{3} \d{4}|[A-Za-z]{3} +\d{1,2}) +(\d\d:\d\d:\d\d)( (?:UTC|GMT|[A-Z]{3}))?( \d{4})?/,
      (matched) => {
        atMs = Date.parse(`${matched.replace(/ (UTC|GMT)/, "")} UTC`);
        return "";
      },
    )
    .replace(
      /([-+]? ?\d{1,9}|\ba|\bnext|\blast) ?(sec|second|min|minute|hour|day|week|fortnight|month|year)s?( ago)?/g,
      (_, count: string, unit: string, ago?: string) => {
        const bare = count.replace(/\s/g, "");
        const sign = (ago === undefined ? 1 : -1) * (bare === "last" ? -1 : 1);
        const number = (/\d/.test(bare) ? Number(bare) : 1) * sign;
        const length = unitsMs[unit];
        if (length !== undefined) atMs += number * length;
        else {
          const when = new Date(atMs);
          atMs = Date.UTC(
            when.getUTCFullYear() + (unit === "year" ? number : 0),
            when.getUTCMonth() + (unit === "month" ? number : 0),
            when.getUTCDate(),
            when.getUTCHours(),
            when.getUTCMinutes(),
            when.getUTCSeconds(),
          );
        }
        return "";
      },
    )
    .replace(/\b(now|today|tomorrow|yesterday|midnight)\b/g, (word) => {
      atMs += word === "tomorrow" ? dayMs : word === "yesterday" ? -dayMs : 0;
      if (word === "midnight") atMs -= atMs % dayMs;
      return "";
    })
    .replace(/\b(\d{1,2}):(\d\d)(?::(\d\d))?\b/, (_, hour: string, minute: string, second = "0") => {
      atMs = atMs - (atMs % dayMs) + Number(hour) * 3_600_000 + Number(minute) * 60_000 + Number(second) * 1000;
      return "";
    })
    .replace(/\b(UTC|GMT|Z)\b/g, "");
  isKnown = left.trim() === "";
  return isKnown ? atMs : undefined;
}

const months = "January February March April May June July August September October November December".split(" ");
const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/** Formats a date in UTC. `%-d` omits leading zeros. */
export function formatDate(ms: number, format: string): string {
  const when = new Date(Math.floor(ms / 1000) * 1000);
  const two = (number: number) => String(number).padStart(2, "0");
  const blank = (number: number) => String(number).padStart(2);
  const [year, month, day] = [when.getUTCFullYear(), when.getUTCMonth(), when.getUTCDate()];
  const [hour, weekday] = [when.getUTCHours(), when.getUTCDay()];
  const ofYear = Math.floor((Date.UTC(year, month, day) - Date.UTC(year, 0, 1)) / dayMs) + 1;
  const values: Readonly<Record<string, string>> = {
    a: (days[weekday] ?? "").slice(0, 3),
    A: days[weekday] ?? "",
    b: (months[month] ?? "").slice(0, 3),
    h: (months[month] ?? "").slice(0, 3),
    B: months[month] ?? "",
    C: two(Math.floor(year / 100)),
    d: two(day),
    e: blank(day),
    H: two(hour),
    k: blank(hour),
    I: two(hour % 12 || 12),
    l: blank(hour % 12 || 12),
    j: String(ofYear).padStart(3, "0"),
    m: two(month + 1),
    M: two(when.getUTCMinutes()),
    p: hour < 12 ? "AM" : "PM",
    P: hour < 12 ? "am" : "pm",
    S: two(when.getUTCSeconds()),
    N: String(Math.floor(((ms % 1000) + 1000) % 1000) * 1_000_000).padStart(9, "0"),
    s: String(Math.floor(ms / 1000)),
    u: String(weekday || 7),
    w: String(weekday),
    U: two(Math.floor((ofYear + 6 - weekday) / 7)),
    V: two(weekOf(when)),
    G: String(year),
    y: two(year % 100),
    Y: String(year),
    Z: "UTC",
    z: "+0000",
    n: "\n",
    t: "\t",
    "%": "%",
  };
  const expansions: Readonly<Record<string, string>> = {
    D: "%m/%d/%y",
    F: "%Y-%m-%d",
    R: "%H:%M",
    T: "%H:%M:%S",
    r: "%I:%M:%S %p",
    c: "%a %b %e %H:%M:%S %Y",
    x: "%m/%d/%y",
    X: "%H:%M:%S",
  };
  return format
    .replace(/%([DFRTrcxX])/g, (_, letter: string) => expansions[letter] ?? "")
    .replace(/%:z/g, "+00:00")
    .replace(/%([-_0]?)(\d?)([A-Za-z%])/g, (all, flag: string, width: string, letter: string) => {
      const text = values[letter];
      if (text === undefined) return all;
      if (width !== "" && letter === "N") return text.slice(0, Number(width));
      return flag === "-" ? text.replace(/^[0 ]+(?=\d)/, "") : text;
    });
}

/** Returns the ISO 8601 week: weeks begin with Monday, and the first contains the year's first Thursday. */
function weekOf(when: Date): number {
  const thursday = new Date(when.getTime() + (4 - (when.getUTCDay() || 7)) * dayMs);
  return Math.floor((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / dayMs / 7) + 1;
}
