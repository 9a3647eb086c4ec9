// Times as the API writes them, and durations as kubectl shows them.

let last = { seconds: 0, text: "1970-01-01T00:00:00Z" };

/** Formats as metav1.Time: seconds, UTC. The last result is cached, because one write formats the same second many times. */
export function rfc3339(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds !== last.seconds) last = { seconds, text: `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z` };
  return last.text;
}

/** Formats as metav1.MicroTime. */
export function rfc3339Micro(ms: number): string {
  const micros = Math.floor(ms * 1000);
  const fraction = ((micros % 1_000_000) + 1_000_000) % 1_000_000;
  return `${rfc3339(ms).slice(0, -1)}.${String(fraction).padStart(6, "0")}Z`;
}

/** Returns the milliseconds of an RFC 3339 time; NaN if the text is not one. */
export function parseTime(text: string): number {
  const shape = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d([.,]\d+)?([Zz]|[+-]\d\d:\d\d)$/;
  return shape.test(text) ? Date.parse(text.toUpperCase().replace(",", ".")) : Number.NaN;
}

/** Returns how long ago a time was, as in the column AGE. */
export function age(timestamp: string | null | undefined, nowMs: number): string {
  return timestamp ? humanDuration(nowMs - parseTime(timestamp)) : "<unknown>";
}

export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return two(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return two(days, "d", hours % 24, "h");
  if (days < 2 * 365) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? two(years, "y", days % 365, "d") : `${years}y`;
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
