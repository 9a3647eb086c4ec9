// Go's fmt.Sprintf for the values of templates.
import { trimmedEnd } from "../../../../../shared/base/trim.ts";
import { bytesOfText } from "../../../../../shared/base/byte-text.ts";
import { goQuoted } from "../../../../../shared/cel/go-text.ts";
import { TemplateLimit } from "./errors.ts";
import { isMap, isNil, sortedKeys, Struct, textOf, typeOf } from "./values.ts";

interface Verb {
  readonly flags: string;
  readonly width: number | undefined;
  readonly precision: number | undefined;
  readonly letter: string;
}

/** The maximum width of a formatted value. */
const maxWidth = 10_000;
const pattern = /%([-+# 0]*)(\*|\d+)?(?:\.(\*|\d*))?(?:\[\d+\])?([\s\S])?/gu;

export function sprintf(format: string, values: readonly unknown[]): string {
  let next = 0;
  const star = (text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    const size = text === "*" ? Number(values[next++]) : Number(text);
    if (Math.abs(size) > maxWidth) throw new TemplateLimit(`a width of more than ${maxWidth} cannot be printed`);
    return size;
  };
  const out = format.replaceAll(
    pattern,
    (_, flags: string, widthText?: string, precisionText?: string, letter?: string) => {
      const width = star(widthText);
      const precision = star(precisionText);
      if (letter === undefined) return "%!(NOVERB)";
      if (letter === "%") return "%";
      if (next >= values.length) return `%!${letter}(MISSING)`;
      const isNegative = width !== undefined && width < 0;
      return formatted(values[next++], {
        flags: isNegative ? `${flags}-` : flags,
        width: isNegative ? -width : width,
        precision,
        letter,
      });
    },
  );
  if (next >= values.length) return out;
  const extra = values.slice(next).map((value) => (isNil(value) ? "<nil>" : `${typeOf(value)}=${textOf(value)}`));
  return `${out}%!(EXTRA ${extra.join(", ")})`;
}

function formatted(value: unknown, verb: Verb): string {
  const { letter } = verb;
  if (letter === "T") return padded(typeOf(value), verb);
  if (letter === "v")
    return padded(verb.flags.includes("#") ? syntaxOf(value) : numberSigned(value, textOf(value), verb), verb);
  if (isNil(value)) return `%!${letter}(<nil>)`;
  if (letter === "q" && typeof value === "bigint") return padded(`'${String.fromCodePoint(Number(value))}'`, verb);
  if (Array.isArray(value)) return `[${value.map((item) => formatted(item, verb)).join(" ")}]`;
  if (isMap(value))
    return `map[${sortedKeys(value)
      .map((key) => `${formatted(key, verb)}:${formatted(value[key], verb)}`)
      .join(" ")}]`;
  const text = scalar(value instanceof Struct ? textOf(value) : value, verb);
  return text ?? `%!${letter}(${typeOf(value)}=${textOf(value)})`;
}

function numberSigned(value: unknown, text: string, { flags }: Verb): string {
  return flags.includes("+") && (typeof value === "bigint" || typeof value === "number") && !text.startsWith("-")
    ? `+${text}`
    : text;
}

/** Returns undefined if the verb does not fit the type. */
function scalar(value: unknown, verb: Verb): string | undefined {
  switch (typeof value) {
    case "string":
      return stringText(value, verb);
    case "bigint":
      return integerText(value, verb);
    case "number":
      return floatText(value, verb);
    case "boolean":
      return verb.letter === "t" ? padded(String(value), verb) : undefined;
    default:
      return undefined;
  }
}

function stringText(value: string, verb: Verb): string | undefined {
  const cut = verb.precision === undefined ? value : [...value].slice(0, verb.precision).join("");
  switch (verb.letter) {
    case "s":
      return padded(cut, verb);
    case "q":
      return padded(verb.flags.includes("#") && !cut.includes("`") ? `\`${cut}\`` : goQuoted(cut), verb);
    case "x":
    case "X": {
      const hex = [...bytesOfText(cut)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      return padded(verb.letter === "X" ? hex.toUpperCase() : hex, verb);
    }
    default:
      return undefined;
  }
}

const bases: Readonly<Record<string, number>> = { d: 10, b: 2, o: 8, O: 8, x: 16, X: 16 };
const prefixes: Readonly<Record<string, string>> = { b: "0b", o: "0", x: "0x", X: "0X" };

function integerText(value: bigint, verb: Verb): string | undefined {
  const { letter, flags, precision } = verb;
  if (letter === "c") return padded(String.fromCodePoint(Number(value)), verb);
  if (letter === "U") return padded(`U+${value.toString(16).toUpperCase().padStart(4, "0")}`, verb);
  const base = bases[letter];
  if (base === undefined) return undefined;
  const digits = (value < 0n ? -value : value).toString(base).padStart(precision ?? 0, "0");
  const prefix = letter === "O" ? "0o" : flags.includes("#") ? (prefixes[letter] ?? "") : "";
  return padded(
    signOf(value < 0n, flags) + prefix + (letter === "X" ? digits.toUpperCase() : digits),
    verb,
    precision === undefined,
  );
}

function signOf(isNegative: boolean, flags: string): string {
  return isNegative ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
}

function floatText(value: number, verb: Verb): string | undefined {
  const precision = Math.min(verb.precision ?? 6, 100);
  const size = Math.abs(value);
  const exponent = (text: string) => text.replace(/e([+-])(\d)$/, "e$10$2");
  let text: string;
  if (!Number.isFinite(value)) text = Number.isNaN(value) ? "NaN" : "Inf";
  else if (verb.letter === "f" || verb.letter === "F") text = size.toFixed(precision);
  else if (verb.letter === "e" || verb.letter === "E") text = exponent(size.toExponential(precision));
  else if (verb.letter === "g" || verb.letter === "G")
    text = verb.precision === undefined ? textOf(size) : general(size, verb.precision || 1);
  else return undefined;
  if (verb.letter === "E" || verb.letter === "G") text = text.toUpperCase();
  return padded(signOf(value < 0, verb.flags) + text, verb, true);
}

function general(size: number, precision: number): string {
  const power = size === 0 ? 0 : Number(size.toExponential(precision - 1).split("e")[1]);
  const isLong = power < -4 || power >= precision;
  const text = isLong ? size.toExponential(precision - 1) : size.toPrecision(precision);
  const [digits = "", exponent] = text.split("e");
  const short = digits.includes(".") ? trimmedEnd(trimmedEnd(digits, "0"), ".") : digits;
  return exponent === undefined ? short : `${short}e${exponent.replace(/^([+-])(\d)$/, "$10$2")}`;
}

function padded(text: string, { flags, width }: Verb, isNumber = false): string {
  const missing = (width ?? 0) - [...text].length;
  if (missing <= 0) return text;
  if (flags.includes("-")) return text + " ".repeat(missing);
  if (!flags.includes("0")) return " ".repeat(missing) + text;
  const [, sign = "", body = ""] = isNumber ? (/^([+-]?)(.*)$/s.exec(text) ?? []) : ["", "", text];
  return sign + "0".repeat(missing) + body;
}

/** Formats a value like `%#v`. */
function syntaxOf(value: unknown): string {
  if (isNil(value)) return "<nil>";
  if (typeof value === "string") return goQuoted(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(nestedSyntax).join(", ")}}`;
  if (isMap(value))
    return `map[string]interface {}{${sortedKeys(value)
      .map((key) => `${goQuoted(key)}:${nestedSyntax(value[key])}`)
      .join(", ")}}`;
  return textOf(value);
}

function nestedSyntax(value: unknown): string {
  return isNil(value) ? "interface {}(nil)" : syntaxOf(value);
}

/** Joins values like fmt.Sprint: with a space between two values that are not strings. */
export function sprint(values: readonly unknown[]): string {
  return values
    .map((value, at) => {
      const before = values[at - 1];
      const isApart = at > 0 && typeof value !== "string" && typeof before !== "string";
      return (isApart ? " " : "") + textOf(value);
    })
    .join("");
}
