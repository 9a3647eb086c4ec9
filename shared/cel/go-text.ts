// Numbers, times and strings as Go prints and parses them.
import { trimmedEnd } from "../base/trim.ts";
import { momentFrom } from "./timestamps.ts";

/** Formats like `%g`, with the fewest digits that keep the value. */
export function goDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [mantissa = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return plainDouble(value);
  const digits = String(Math.abs(exponent)).padStart(2, "0");
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${digits}`;
}

/** Formats without an exponent, with the fewest digits that keep the value. */
export function plainDouble(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  const [mantissa = "", power = "0"] = text.split("e");
  const isNegative = mantissa.startsWith("-");
  const [integerDigits = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const exponent = Number(power);
  const digits = integerDigits + fraction;
  const point = integerDigits.length + exponent;
  const positive =
    point <= 0
      ? `0.${"0".repeat(-point)}${digits}`
      : point >= digits.length
        ? digits + "0".repeat(point - digits.length)
        : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return isNegative ? `-${positive}` : positive;
}

/** Quotes like `%q`. */
export function goQuoted(text: string): string {
  const short: Readonly<Record<string, string>> = {
    "\x07": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
  };
  const chars = [...text].map((char) => {
    const escaped = short[char];
    if (escaped) return escaped;
    const code = char.codePointAt(0) ?? 0;
    // A byte that is not UTF-8 is kept as a lone surrogate.
    if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`;
    if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, "0")}`;
    if (/\p{L}|\p{M}|\p{N}|\p{P}|\p{S}| /u.test(char)) return char;
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
  return `"${chars.join("")}"`;
}

/** Formats seconds with their fraction: `3600s`, `1.5s`. */
export function durationText(ns: bigint): string {
  const sign = ns < 0n ? "-" : "";
  const size = ns < 0n ? -ns : ns;
  // Go counts these seconds as a float64.
  const seconds = Number(size / 1_000_000_000n) + Number(size % 1_000_000_000n) / 1e9;
  return `${sign}${plainDouble(seconds)}s`;
}

/** Formats as RFC 3339 in UTC, with the fraction of the second without trailing zeros. */
export function timestampText(ns: bigint): string {
  const { seconds, nanos } = momentFrom(ns);
  const dateTime = new Date(seconds * 1000).toISOString();
  const fraction = nanos ? `.${trimmedEnd(String(nanos).padStart(9, "0"), "0")}` : "";
  return `${dateTime.slice(0, dateTime.length - 5)}${fraction}Z`;
}
