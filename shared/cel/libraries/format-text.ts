// The function `format`: `"%s is %d".format([...])`.
import { durationText, goQuoted, goDouble, timestampText } from "../go-text.ts";
import { decodeUtf8, encodeUtf8 } from "../../base/utf8.ts";
import type { Pay } from "../pay.ts";
import {
  type DurationValue,
  type ListValue,
  type MapValue,
  type TimestampValue,
  type TypeValue,
  type UintValue,
  type Value,
  at,
  fail,
  find,
  itemsOf,
  keysOf,
  kindOf,
  typeNameOf,
} from "../values.ts";

/** The reason why a value cannot be formatted. */
class FormatProblem extends Error {}

const defaultPrecision = 6;

export function format(pay: Pay, pattern: string, args: ListValue): Value {
  try {
    return formatted(pay, pattern, args);
  } catch (error) {
    if (error instanceof FormatProblem) return fail(error.message);
    throw error;
  }
}

/** The letters that may follow `%`, and the kinds of values that each accepts; undefined if it accepts every kind that can be printed. */
export const clauseKinds: Readonly<Record<string, readonly string[]>> = {
  d: ["int", "uint"],
  f: ["double", "string"],
  e: ["double", "string"],
  b: ["int", "uint", "bool"],
  x: ["int", "uint", "string", "bytes"],
  X: ["int", "uint", "string", "bytes"],
  o: ["int", "uint"],
  s: ["list", "map", "int", "uint", "double", "bool", "string", "timestamp", "bytes", "duration", "type", "null"],
};

const clauseWords: Readonly<Record<string, string>> = {
  d: "decimal clause can only be used on integers",
  f: "fixed-point clause can only be used on doubles",
  e: "scientific clause can only be used on doubles",
  b: "only integers and bools can be formatted as binary",
  x: "only integers, byte buffers, and strings can be formatted as hex",
  X: "only integers, byte buffers, and strings can be formatted as hex",
  o: "octal clause can only be used on integers",
  s: "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
};

export function wrongClause(letter: string, typeName: string): string {
  return `error during formatting: ${clauseWords[letter] ?? ""}, was given ${typeName}`;
}

export interface Clause {
  readonly letter: string;
  readonly precision: number | undefined;
}

/** Splits a pattern into texts and clauses, or returns the error in it. */
export function clausesOf(pattern: string): readonly (string | Clause)[] | { readonly error: string } {
  const segments: (string | Clause)[] = [];
  let rest = pattern;
  while (rest) {
    const plain = /^(?:[^%]|%%)+/.exec(rest)?.[0];
    if (plain) {
      segments.push(plain.replaceAll("%%", "%"));
      rest = rest.slice(plain.length);
      continue;
    }
    if (rest.length === 1) return { error: "unexpected end of string" };
    const clause = /^%(?:\.([0-9]*))?([^]?)/u.exec(rest);
    const [all = "%", precision, letter = ""] = clause ?? [];
    const wrong = (why: string) => ({ error: `could not parse formatting clause: ${why}` });
    if (precision === "") {
      return wrong(
        'error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
      );
    }
    if (letter === "") return wrong("error while parsing precision: could not find end of precision specifier");
    if (!(letter in clauseKinds)) return wrong(`unrecognized formatting clause "${letter}"`);
    segments.push({ letter, precision: precision === undefined ? undefined : Number(precision) });
    rest = rest.slice(all.length);
  }
  return segments;
}

function formatted(pay: Pay, pattern: string, args: ListValue): string {
  const segments = clausesOf(pattern);
  if ("error" in segments) throw new FormatProblem(segments.error);
  let index = 0;
  const texts = segments.map((segment) => {
    if (typeof segment === "string") return segment;
    if (index >= args.items.length) throw new FormatProblem(`index ${index} out of range`);
    const text = clauseText(pay, segment, at(args, index++));
    pay(text.length / 10);
    return text;
  });
  return texts.join("");
}

function clauseText(pay: Pay, { letter, precision = defaultPrecision }: Clause, value: Value): string {
  const kind = kindOf(value);
  const fits = clauseKinds[letter]?.includes(kind) && (!"fe".includes(letter) || kind === "double" || isSpecial(value));
  if (!fits) throw new FormatProblem(wrongClause(letter, typeNameOf(value)));
  switch (letter) {
    case "d":
      return plainText(pay, value);
    case "f":
      return fixed(value, precision);
    case "e":
      return scientific(value, precision);
    case "b":
      return typeof value === "boolean" ? String(Number(value)) : wholeOf(value).toString(2);
    case "o":
      return wholeOf(value).toString(8);
    case "s":
      return plainText(pay, value);
    default:
      return letter === "X" ? hex(value).toUpperCase() : hex(value);
  }
}

function isSpecial(value: Value): boolean {
  return value === "NaN" || value === "Infinity" || value === "-Infinity";
}

function fixed(value: Value, precision: number): string {
  const number = Number(value);
  return special(number) ?? exactFixed(number, precision);
}

function scientific(value: Value, precision: number): string {
  const number = Number(value);
  const specialText = special(number);
  if (specialText) return specialText;
  const [mantissa = "", power = "0"] = number.toExponential(Math.min(precision, 100)).split("e");
  const sign = power.startsWith("-") ? "-" : "+";
  return `${mantissa}\u00d710${superscript(sign + power.replace(/^[+-]/, "").padStart(2, "0"))}`;
}

function superscript(power: string): string {
  const raised: Readonly<Record<string, string>> = { "-": "\u207b", "+": "" };
  const digits = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";
  return [...power].map((char) => raised[char] ?? digits[Number(char)] ?? char).join("");
}

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return undefined;
  return value > 0 ? "\u221e" : "-\u221e";
}

function exactFixed(value: number, precision: number): string {
  if (Math.abs(value) < 1e21 && precision <= 100) return grouped(value.toFixed(precision));
  return grouped(BigInt(Math.trunc(value)).toString() + (precision ? `.${"0".repeat(precision)}` : ""));
}

/** Groups digits by thousands, as in English. */
function grouped(text: string): string {
  const [integerText = "", fraction] = text.split(".");
  const sign = integerText.startsWith("-") ? "-" : "";
  const digits = integerText.slice(sign.length);
  const first = digits.length % 3 || 3;
  const groupedDigits = sign + digits.slice(0, first) + digits.slice(first).replace(/\d{3}/g, ",$&");
  return fraction === undefined ? groupedDigits : `${groupedDigits}.${fraction}`;
}

function wholeOf(value: Value): bigint {
  return typeof value === "bigint" ? value : (value as UintValue).value;
}

function hex(value: Value): string {
  const bytes = typeof value === "string" ? encodeUtf8(value) : value;
  if (!(bytes instanceof Uint8Array)) return wholeOf(value).toString(16);
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function plainText(pay: Pay, value: Value): string {
  switch (kindOf(value)) {
    case "double":
      return goDouble(value as number);
    case "duration":
      return durationText((value as DurationValue).ns);
    case "timestamp":
      return timestampText((value as TimestampValue).ns);
    default:
      return innerText(pay, value);
  }
}

/** Formats a value inside a list or a map, where times and doubles are printed with full precision. */
function innerText(pay: Pay, value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  switch (kindOf(value)) {
    case "null":
      return "null";
    case "uint":
      return String((value as UintValue).value);
    case "bytes":
      return decodeUtf8(value as Uint8Array) ?? "";
    case "type":
      return (value as TypeValue).name;
    case "double":
      return special(value as number) === undefined
        ? (value as number).toFixed(defaultPrecision)
        : goDouble(value as number);
    case "duration":
      return `duration(${goQuoted(durationText((value as DurationValue).ns))})`;
    case "timestamp":
      return `timestamp(${goQuoted(timestampText((value as TimestampValue).ns))})`;
    case "list":
      return `[${[...itemsOf(value as ListValue)].map((item) => quotedText(pay, item)).join(", ")}]`;
    case "map":
      return mapText(pay, value as MapValue);
    default:
      throw new FormatProblem(`error during formatting: no formatting function for ${typeNameOf(value)}`);
  }
}

function mapText(pay: Pay, map: MapValue): string {
  const pairs = keysOf(map).map((key) => {
    if (!["string", "bool", "int", "uint"].includes(kindOf(key))) {
      throw new FormatProblem(`error during formatting: no formatting function for map key of type ${typeNameOf(key)}`);
    }
    return [quotedText(pay, key), quotedText(pay, find(map, key) ?? null)] as const;
  });
  pairs.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${pairs.map(([key, value]) => `${key}:${value}`).join(", ")}}`;
}

function quotedText(pay: Pay, value: Value): string {
  const text = innerText(pay, value);
  pay(1 + text.length / 10);
  if (typeof value === "string") return goQuoted(text);
  if (value instanceof Uint8Array) return `b${goQuoted(text)}`;
  return typeof value === "number" && !Number.isFinite(value) ? goQuoted(text) : text;
}
