// Go's time.Duration as text (`1h2m3.5s`) and as nanoseconds.
import { trimmedEnd } from "../base/trim.ts";

/** Returns the nanoseconds, or an error in Go's words. */
export function parseDuration(text: string): bigint | { error: string } {
  const error = { error: `time: invalid duration ${JSON.stringify(text)}` };
  const unsigned = /^[+-]/.test(text) ? text.slice(1) : text;
  if (unsigned === "0") return 0n;
  if (unsigned === "") return error;
  let total = 0n;
  let rest = unsigned;
  while (rest !== "") {
    const match = /^(\d*)(?:\.(\d*))?([^\d.]*)/.exec(rest);
    const [all = "", integerDigits = "", fraction = "", unit = ""] = match ?? [];
    if (integerDigits === "" && fraction === "") return error;
    const nanos = Object.hasOwn(units, unit) ? units[unit] : undefined;
    if (nanos === undefined) {
      const what = unit === "" ? "missing unit" : `unknown unit ${JSON.stringify(unit)}`;
      return { error: `time: ${what} in duration ${JSON.stringify(text)}` };
    }
    const scale = 10n ** BigInt(fraction.length);
    total += BigInt(integerDigits || "0") * nanos + (BigInt(fraction || "0") * nanos) / scale;
    rest = rest.slice(all.length);
  }
  if (total > maxNanos) return error;
  return text.startsWith("-") ? -total : total;
}

/** Formats like Go's `Duration.String`: `1h0m0s`, `1.5s`, `100ms`, `0s`. */
export function formatDuration(nanos: bigint): string {
  if (nanos === 0n) return "0s";
  const sign = nanos < 0n ? "-" : "";
  const size = nanos < 0n ? -nanos : nanos;
  if (size < 1_000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 1_000n)}µs`;
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 1_000_000n)}ms`;
  const seconds = `${decimal(size % 60_000_000_000n, 1_000_000_000n)}s`;
  const minutes = size / 60_000_000_000n;
  if (minutes === 0n) return `${sign}${seconds}`;
  const hours = minutes / 60n;
  return hours === 0n ? `${sign}${minutes}m${seconds}` : `${sign}${hours}h${minutes % 60n}m${seconds}`;
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const maxNanos = (1n << 63n) - 1n;

function decimal(value: bigint, unit: bigint): string {
  const fraction = trimmedEnd((value % unit).toString().padStart(unit.toString().length - 1, "0"), "0");
  return fraction ? `${value / unit}.${fraction}` : `${value / unit}`;
}
