// Numbers, times and strings as Go prints and reads them.
import { trimmedEnd } from "../base/trim.ts";
import { momentFrom } from "./timestamps.ts";

/** `%g` with as many digits as it takes. */
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

/** Digits without an exponent, as many as it takes. */
export function plainDouble(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  const [mantissa = "", power = "0"] = text.split("e");
  const isNegative = mantissa.startsWith("-");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const exponent = Number(power);
  const digits = whole + fraction;
  const point = whole.length + exponent;
  const shown =
    point <= 0
      ? `0.${"0".repeat(-point)}${digits}`
      : point >= digits.length
        ? digits + "0".repeat(point - digits.length)
        : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return isNegative ? `-${shown}` : shown;
}

/** `%q` */
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
    const known = short[char];
    if (known) return known;
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, "0")}`;
    if (/\p{L}|\p{M}|\p{N}|\p{P}|\p{S}| /u.test(char)) return char;
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
  return `"${chars.join("")}"`;
}

/** Seconds with their fraction: `3600s`, `1.5s`. */
export function durationText(ns: bigint): string {
  const sign = ns < 0n ? "-" : "";
  const size = ns < 0n ? -ns : ns;
  // Go counts these seconds in a double.
  const seconds = Number(size / 1_000_000_000n) + Number(size % 1_000_000_000n) / 1e9;
  return `${sign}${plainDouble(seconds)}s`;
}

/** RFC 3339 in UTC, with as much of the second as there is. */
export function timestampText(ns: bigint): string {
  const { seconds, nanos } = momentFrom(ns);
  const whole = new Date(seconds * 1000).toISOString();
  const fraction = nanos ? `.${trimmedEnd(String(nanos).padStart(9, "0"), "0")}` : "";
  return `${whole.slice(0, whole.length - 5)}${fraction}Z`;
}
