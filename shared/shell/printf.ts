// Formats texts and numbers like C's printf.
import { trimmedEnd } from "../base/trim.ts";
import { unescaped } from "./escapes.ts";
import { Growing } from "./lines.ts";
import { chargeForBuilding, charge, type Metered, chargeForReading } from "./meter.ts";

/** A directive such as `%-5s` or `%05.2f`, with the text before it. */
interface Directive {
  readonly before: string;
  readonly flags: string;
  readonly width: string;
  readonly precision: string | undefined;
  readonly letter: string;
}

export interface Printing {
  /** The process that is charged. */
  readonly process: Metered;
  nowMs(): number;
  /** Called for a malformed number. `hasNumericPrefix`: it begins with a number, which then counts. */
  onMalformedNumber?(value: string, hasNumericPrefix: boolean): void;
  /** Whether this is awk's printf: it ignores extra arguments, and its format has no escapes any more. */
  readonly isAwk?: boolean;
}

export function formatted(printing: Printing, format: string, args: readonly string[]): string {
  const { process, isAwk: isOnce = false } = printing;
  chargeForReading(process, format);
  const directives: Directive[] = [];
  let end = 0;
  const plain = isOnce ? format : unescaped(format);
  for (const match of plain.matchAll(
    /%([-+ #0]{0,5})(\*|(?:[1-9]\d*)?)(?:\.(\*|\d*))?([sdiuxXcobfeEgGq%]|\([^)]*\)T)/g,
  )) {
    charge(process, 0.3);
    const [matchedText, flags = "", width = "", precision, letter = ""] = match;
    directives.push({ before: plain.slice(end, match.index), flags, width, precision, letter });
    end = match.index + matchedText.length;
  }
  const takesArguments = directives.some(({ letter }) => letter !== "%");
  const text = new Growing(process);
  let at = 0;
  do {
    for (const directive of directives) {
      text.add(directive.before);
      if (directive.letter === "%") {
        text.add("%");
        continue;
      }
      const width = directive.width === "*" ? (args[at++] ?? "0") : directive.width;
      const precision = directive.precision === "*" ? (args[at++] ?? "0") : directive.precision;
      text.add(formatDirective(printing, { ...directive, width, precision }, args[at++]));
    }
    text.add(plain.slice(end));
  } while (at < args.length && takesArguments && !isOnce);
  return text.take();
}

function formatDirective(printing: Printing, directive: Directive, argument: string | undefined): string {
  const { flags, letter, precision } = directive;
  const value = argument ?? "";
  const size = Math.abs(Number(directive.width)) || 0;
  const count = precision === undefined ? undefined : Number(precision || 0);
  chargeForBuilding(printing.process, Math.max(size, value.length, count ?? 0));
  const isLeft = flags.includes("-") || directive.width.startsWith("-");
  const pad = (text: string) => (isLeft ? text.padEnd(size) : text.padStart(size));
  if (letter.endsWith("T")) return pad(new Date(printing.nowMs()).toISOString().slice(0, 19).replace("T", " "));
  if ("sbcq".includes(letter)) {
    const text =
      letter === "b"
        ? unescaped(value)
        : letter === "c"
          ? [...value].slice(0, 1).join("")
          : letter === "q"
            ? quoted(value)
            : value;
    return pad(count === undefined ? text : text.slice(0, count));
  }
  const number = numberOf(printing, value);
  const isNegative = number < 0 || Object.is(number, -0);
  const digits = digitsOf(letter, Math.abs(number), count, flags.includes("#"));
  const sign =
    isNegative && !"xXou".includes(letter) ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  if (flags.includes("0") && !isLeft) return sign + digits.padStart(size - sign.length, "0");
  return pad(sign + digits);
}

function digitsOf(letter: string, value: number, count: number | undefined, isMarked: boolean): string {
  switch (letter) {
    case "x":
    case "X": {
      const text =
        (isMarked ? "0x" : "") +
        Math.trunc(value)
          .toString(16)
          .padStart(count ?? 0, "0");
      return letter === "X" ? text.toUpperCase() : text;
    }
    case "o":
      return (
        (isMarked ? "0" : "") +
        Math.trunc(value)
          .toString(8)
          .padStart(count ?? 0, "0")
      );
    case "f":
      return fixed(value, Math.min(count ?? 6, 100));
    case "e":
    case "E": {
      const text = value.toExponential(Math.min(count ?? 6, 100)).replace(/e([-+])(\d)$/, "e$10$2");
      return letter === "E" ? text.toUpperCase() : text;
    }
    case "g":
    case "G":
      return shortest(value, count, letter === "G");
    default:
      return String(Math.trunc(value)).padStart(count ?? 0, "0");
  }
}

/**
 * Formats as `%g`: with an exponent if it is less than -4 or not less than the count of significant digits, else with decimals. Trailing
 * zeros are dropped.
 */
function shortest(value: number, precision: number | undefined, isUpper: boolean): string {
  const significant = Math.min(precision === undefined ? 6 : precision || 1, 100);
  const [mantissa = "", exponentText] = value.toExponential(significant - 1).split("e");
  const exponent = Number(exponentText ?? 0);
  const withoutZeros = (text: string) => (text.includes(".") ? trimmedEnd(trimmedEnd(text, "0"), ".") : text);
  if (exponent >= -4 && exponent < significant)
    return withoutZeros(fixed(value, Math.min(significant - 1 - exponent, 100)));
  const sign = exponent < 0 ? "-" : "+";
  const text = `${withoutZeros(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
  return isUpper ? text.toUpperCase() : text;
}

/** Parses decimal, `0x1f`, octal `017`, or `'a` for a character's number. A malformed number is reported, and its valid prefix counts. */
function numberOf({ onMalformedNumber }: Printing, value: string): number {
  if (value === "") return 0;
  if (/^["']/.test(value)) return value.codePointAt(1) ?? 0;
  if (/^[-+]?0[xX][0-9a-fA-F]+$/.test(value))
    return Number(value.replace(/^([-+])/, "")) * (value.startsWith("-") ? -1 : 1);
  if (/^[-+]?0[0-7]+$/.test(value)) return Number.parseInt(value, 8);
  if (/^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(value)) return Number(value);
  const prefix = Number.parseFloat(value);
  const hasNumericPrefix = !Number.isNaN(prefix);
  onMalformedNumber?.(value, hasNumericPrefix);
  return hasNumericPrefix ? prefix : 0;
}

function quoted(text: string): string {
  return text === "" ? "''" : text.replace(/[^\w@%+=:,./-]/g, "\\$&");
}

/** Formats a number with a count of decimals. Ties round to the even digit, as in C. */
function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  const scaled = Math.abs(value) * 10 ** digits;
  // Only a number of few bits can be a tie.
  const isTie = scaled % 1 === 0.5 && Number.isInteger(value * 2 ** (digits + 1));
  if (!isTie || Math.floor(scaled) % 2 !== 0) return text;
  return ((Math.sign(value) * Math.floor(scaled)) / 10 ** digits).toFixed(digits);
}
