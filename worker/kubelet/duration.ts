// Durations in Go's format, as the kubelet's events contain them.

/** Formats milliseconds as `time.Duration.String()` does, without fractions: `312ms`, `1.2s`, `1m30s`, `5m0s`. */
export function goDuration(ms: number): string {
  const wholeMs = Math.trunc(ms);
  if (wholeMs === 0) return "0s";
  if (wholeMs < 1000) return `${wholeMs}ms`;
  const hours = Math.floor(wholeMs / 3_600_000);
  const minutes = Math.floor(wholeMs / 60_000) % 60;
  const seconds = `${(wholeMs % 60_000) / 1000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}

/** Parses a duration in Go's format. Returns milliseconds, or undefined if the text is not a duration. */
export function parseGoDuration(text: string): number | undefined {
  const match = /^(?:(\d+)h)?(?:(\d+)m)?(?:([\d.]+)s)?$/.exec(text);
  if (!match || text === "") return undefined;
  const [, hours = "0", minutes = "0", seconds = "0"] = match;
  return Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Math.round(Number(seconds) * 1000);
}
