// Clock time in a time zone, through the platform's knowledge of zones.

const formats = new Map<string, Intl.DateTimeFormat>();

/** How far the zone's clocks are ahead of UTC at a moment. */
export function offsetMs(timeZone: string, ms: number): number {
  if (timeZone === "" || timeZone === "UTC" || timeZone === "Local") return 0;
  const parts = formatOf(timeZone).formatToParts(ms);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value);
  const local = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return local - Math.floor(ms / 1000) * 1000;
}

/** The moment at which the zone's clocks show this, given as if it were UTC; where they skip or repeat it, as Go's `time.Date`. */
export function momentOf(timeZone: string, clockMs: number): number {
  const guess = offsetMs(timeZone, clockMs);
  return guess === 0 ? clockMs : clockMs - offsetMs(timeZone, clockMs - guess);
}

/** RFC 3339 with the zone's offset: `2026-03-29T03:00:00+02:00`. */
export function rfc3339In(timeZone: string, ms: number): string {
  const offset = offsetMs(timeZone, ms);
  const text = new Date(ms + offset).toISOString().slice(0, 19);
  if (offset === 0) return `${text}Z`;
  const minutes = Math.abs(offset) / 60_000;
  const two = (value: number) => String(value).padStart(2, "0");
  return `${text}${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(Math.floor(minutes % 60))}`;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(timeZone, format);
  return format;
}
