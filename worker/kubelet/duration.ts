// Durations as Go prints them, in the words of a kubelet's events.

/** `time.Duration.String()` of whole milliseconds: `312ms`, `1.2s`, `1m30s`, `5m0s`. */
export function goDuration(ms: number): string {
  const whole = Math.trunc(ms);
  if (whole === 0) return "0s";
  if (whole < 1000) return `${whole}ms`;
  const hours = Math.floor(whole / 3_600_000);
  const minutes = Math.floor(whole / 60_000) % 60;
  const seconds = `${(whole % 60_000) / 1000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}

/** The milliseconds of a duration that Go printed; undefined if it is none. */
export function parseGoDuration(text: string): number | undefined {
  const parts = /^(?:(\d+)h)?(?:(\d+)m)?(?:([\d.]+)s)?$/.exec(text);
  if (!parts || text === "") return undefined;
  const [, hours = "0", minutes = "0", seconds = "0"] = parts;
  return Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Math.round(Number(seconds) * 1000);
}
