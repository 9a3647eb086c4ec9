// Local time in a time zone, from the platform's time zone database.

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns how far the zone's clocks are ahead of UTC at a moment. */
export function offsetMs(timeZone: string, ms: number): number {
  if (timeZone === "" || timeZone === "UTC" || timeZone === "Local") return 0;
  const dateFields = formatOf(timeZone).formatToParts(ms);
  const numberIn = (type: Intl.DateTimeFormatPartTypes) =>
    Number(dateFields.find((field) => field.type === type)?.value);
  const local = Date.UTC(
    numberIn("year"),
    numberIn("month") - 1,
    numberIn("day"),
    numberIn("hour"),
    numberIn("minute"),
    numberIn("second"),
  );
  return local - Math.floor(ms / 1000) * 1000;
}

/**
 * Returns the moment at which the zone's clocks show this time, which is given as if it were UTC. Skipped and repeated times follow Go's
 * `time.Date`.
 */
export function momentOf(timeZone: string, clockMs: number): number {
  const guess = offsetMs(timeZone, clockMs);
  return guess === 0 ? clockMs : clockMs - offsetMs(timeZone, clockMs - guess);
}

/** Formats as RFC 3339 with the zone's offset: `2026-03-29T03:00:00+02:00`. */
export function rfc3339In(timeZone: string, ms: number): string {
  const offset = offsetMs(timeZone, ms);
  const text = new Date(ms + offset).toISOString().slice(0, 19);
  if (offset === 0) return `${text}Z`;
  const minutes = Math.abs(offset) / 60_000;
  const two = (value: number) => String(value).padStart(2, "0");
  return `${text}${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(Math.floor(minutes % 60))}`;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const cachedFormat = formats.get(timeZone);
  if (cachedFormat) return cachedFormat;
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
