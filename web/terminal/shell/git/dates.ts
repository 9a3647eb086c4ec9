// Dates as git reads them in its environment: `1700000000 +0100`, `@1700000000`, and ISO 8601. Offsets are minutes to the west of UTC.
interface GitDate {
  readonly timestamp: number;
  readonly timezoneOffset: number;
}

export function parseDate(text: string): GitDate | undefined {
  const [, seconds, zone = "+0000"] = /^@?(\d{5,12})(?: ([+-]\d{4}))?$/.exec(text.trim()) ?? [];
  if (seconds !== undefined) return { timestamp: Number(seconds), timezoneOffset: offsetOf(zone) };
  const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?) ?(Z|[+-]\d\d:?\d\d)?$/.exec(text.trim());
  const [, day = "", time = "", isoZone = "Z"] = match ?? [];
  const offset = isoZone === "Z" ? "+0000" : isoZone.replace(":", "");
  const timestamp = Math.floor(Date.parse(`${day}T${time}Z`) / 1000);
  if (!match || Number.isNaN(timestamp)) return undefined;
  return { timestamp: timestamp + offsetOf(offset) * 60, timezoneOffset: offsetOf(offset) };
}

function offsetOf(zone: string): number {
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3));
  return zone.startsWith("-") ? minutes : -minutes;
}

/** Formats an offset: `+0100`. */
export function zoneText(offset: number): string {
  const minutes = Math.abs(offset);
  const digits = String(Math.floor(minutes / 60) * 100 + (minutes % 60)).padStart(4, "0");
  return `${offset > 0 ? "-" : "+"}${digits}`;
}
