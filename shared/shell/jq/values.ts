// Values of jq: their order, their texts, and the errors of their operators.
import { byteLength, bytesOfText, textOfBytes } from "../../base/byte-text.ts";
import { charge, type Metered } from "../meter.ts";
import { base64Of, tryBytesOfBase64 } from "../../base/base64.ts";

export type Json = unknown;

/** An error that `try` catches. It has no stack trace, which would cost more than the rest of a filter. */
export class JqError {
  readonly value: Json;
  constructor(value: Json) {
    this.value = value;
  }
  get message(): string {
    return typeof this.value === "string" ? this.value : `${JSON.stringify(this.value)} (not a string)`;
  }
}

export function isObject(value: Json): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function typeOf(value: Json): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

export function describe(value: Json): string {
  const text = beginningOf(value, describedCharacters);
  return `${typeOf(value)} (${byteLength(text) > shownBytes ? `${text.slice(0, shownBytes - 1)}...` : text})`;
}

/** The bytes of a value that an error shows: at most 11, else the first 10 and dots, as in jq. */
const shownBytes = 11;
/** Enough characters of a value for `shownBytes`, including escapes. */
const describedCharacters = 24;

/** Returns the beginning of a value's JSON, since an error may contain a value of any size. */
function beginningOf(value: Json, characters: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, characters));
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  let text = isList ? "[" : "{";
  for (const key in value) {
    if (text.length >= characters) return text;
    const member = (value as Record<string, Json>)[key];
    text += `${text.length > 1 ? "," : ""}${isList ? "" : `${JSON.stringify(key.slice(0, characters))}:`}`;
    text += beginningOf(member, characters - text.length);
  }
  return text + (isList ? "]" : "}");
}

/** The limit of nesting, as in jq. */
const deepest = 256;
/** Microseconds of reading one inner value, and one character of a text. */
const nodeWork = 0.15;
const readWork = 1 / 256;
/** Microseconds of comparing one character of long texts. Shorter texts are part of `comparisonWork`. */
const compareWork = 1 / 1024;
const longText = 64;
/** Microseconds of writing one character of a text into an identity. */
const identityWork = 1 / 512;

/** Charges for reading a value deeply. Inner values count as often as they occur. */
export function chargeDeeply(process: Metered, value: Json, depth = 0): void {
  if (typeof value === "string") charge(process, value.length * readWork);
  if (typeof value !== "object" || value === null) return;
  if (depth > deepest) throw new JqError("Exceeds depth limit for parsing");
  for (const item of Array.isArray(value) ? (value as Json[]) : Object.values(value)) {
    charge(process, nodeWork);
    chargeDeeply(process, item, depth + 1);
  }
}

/** Bytes of one reference in a list, and of one member of an object with its key. */
const itemBytes = 16;
const memberBytes = 64;

/**
 * Estimates the bytes that an operator's result adds for this operand: a text's characters, or the references of a list or an object. Inner
 * values are shared with the operand, and were charged when they were built.
 */
export function estimateBytes(value: Json): number {
  if (typeof value === "string") return value.length;
  if (Array.isArray(value)) return value.length * itemBytes;
  return isObject(value) ? Object.keys(value).length * memberBytes : 0;
}

export function isTrue(value: Json): boolean {
  return value !== null && value !== false;
}

const order = ["null", "boolean", "number", "string", "array", "object"];

/** Microseconds of comparing two members. */
const comparisonWork = 0.06;

/** Compares two values in jq's order, and charges for each member that is read. */
export function compare(payer: Metered, a: Json, b: Json): number {
  if (a === b) return 0;
  if (typeof a === "string" && typeof b === "string") {
    if (a.length > longText && b.length > longText) charge(payer, Math.min(a.length, b.length) * compareWork);
    return a < b ? -1 : 1;
  }
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [left, right] = [typeOf(a), typeOf(b)];
  if (left !== right) return order.indexOf(left) - order.indexOf(right);
  if (typeof a === "boolean") return a ? 1 : -1;
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let at = 0; at < Math.min(a.length, b.length); at++) {
      charge(payer, comparisonWork);
      const difference = compare(payer, a[at], b[at]);
      if (difference !== 0) return difference;
    }
    return a.length - b.length;
  }
  if (!isObject(a) || !isObject(b)) return 0;
  const keys = [sortedKeys(payer, a), sortedKeys(payer, b)] as const;
  const difference = compare(payer, ...keys);
  if (difference !== 0) return difference;
  for (const key of keys[0]) {
    charge(payer, comparisonWork);
    const each = compare(payer, a[key], b[key]);
    if (each !== 0) return each;
  }
  return 0;
}

/** Microseconds of one comparison when keys are sorted. */
const keyWork = 0.08;

export function sortedKeys(payer: Metered, value: Readonly<Record<string, Json>>): string[] {
  const keys = Object.keys(value);
  charge(payer, keyWork * keys.length * Math.log2(keys.length + 1));
  return keys.sort();
}

/** Returns a text that is the same for values that jq regards as equal. Charges for each member. */
function identityOf(payer: Metered, value: Json): string {
  charge(payer, nodeWork);
  if (typeof value === "string") {
    charge(payer, value.length * identityWork);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => identityOf(payer, item)).join(",")}]`;
  if (!isObject(value)) return value === 0 ? "0" : String(value);
  const pairs = sortedKeys(payer, value).map((key) => `${JSON.stringify(key)}:${identityOf(payer, value[key])}`);
  return `{${pairs.join(",")}}`;
}

export function add(a: Json, b: Json): Json {
  if (a === null) return b;
  if (b === null) return a;
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (typeof a === "string" && typeof b === "string") return a + b;
  if (Array.isArray(a) && Array.isArray(b)) return [...(a as Json[]), ...(b as Json[])];
  if (isObject(a) && isObject(b)) return { ...a, ...b };
  throw new JqError(`${describe(a)} and ${describe(b)} cannot be added`);
}

export function calculate(payer: Metered, operator: string, a: Json, b: Json): Json {
  if (operator === "+") return add(a, b);
  if (typeof a === "number" && typeof b === "number") {
    if (operator === "-") return a - b;
    if (operator === "*") return a * b;
    if (b === 0) throw new JqError(`${describe(a)} and ${describe(b)} cannot be divided because the divisor is zero`);
    return operator === "/" ? a / b : Math.trunc(a) % Math.trunc(b);
  }
  if (operator === "-" && Array.isArray(a) && Array.isArray(b)) {
    const excluded = new Set((b as Json[]).map((item) => identityOf(payer, item)));
    return (a as Json[]).filter((item) => !excluded.has(identityOf(payer, item)));
  }
  if (operator === "/" && typeof a === "string" && typeof b === "string") return a.split(b);
  if (operator === "*" && isObject(a) && isObject(b)) return merged(payer, a, b);
  if (operator === "*" && typeof a === "string" && typeof b === "number")
    return b <= 0 ? null : a.repeat(Math.max(1, Math.floor(b)));
  const verb = { "-": "subtracted", "*": "multiplied", "/": "divided", "%": "divided" }[operator] ?? "";
  throw new JqError(`${describe(a)} and ${describe(b)} cannot be ${verb}`);
}

function merged(payer: Metered, a: Record<string, Json>, b: Record<string, Json>): Record<string, Json> {
  charge(payer, mergeWork * (Object.keys(a).length + Object.keys(b).length));
  const result = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = result[key];
    result[key] = isObject(before) && isObject(value) ? merged(payer, before, value) : value;
  }
  return result;
}

/** Microseconds of merging one member of an object. */
const mergeWork = 0.3;

/**
 * Reports whether a value contains another. Charges for each pair that is compared: jq compares each element of one list with each of the
 * other.
 */
export function contains(payer: Metered, a: Json, b: Json): boolean {
  charge(payer, comparisonWork);
  if (typeof a === "string" && typeof b === "string") {
    charge(payer, searchWork(a, b));
    return a.includes(b);
  }
  if (Array.isArray(a) && Array.isArray(b))
    return b.every((needed) => a.some((candidate) => contains(payer, candidate, needed)));
  if (isObject(a) && isObject(b))
    return Object.entries(b).every(([key, value]) => Object.hasOwn(a, key) && contains(payer, a[key], value));
  return compare(payer, a, b) === 0;
}

/** Microseconds of searching for a text in another. */
export function searchWork(text: string, sought: string): number {
  return ((text.length + sought.length) * (1 + Math.log2(sought.length + 1))) / 2048;
}

export function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const entities: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  "'": "&#39;",
  '"': "&quot;",
};

/** Microseconds of formatting one character. */
const formatWork = 0.04;

/** Applies `@base64` and the other formats. */
export function formatted(payer: Metered, name: string, value: Json): string {
  chargeDeeply(payer, value);
  charge(payer, typeof value === "string" ? value.length * formatWork : 0);
  const cells = (row: Json): Json[] => {
    if (!Array.isArray(row))
      throw new JqError(`${describe(row)} cannot be ${name.slice(1)}-formatted, only an array can be`);
    return row as Json[];
  };
  switch (name) {
    case "@text":
      return textOf(value);
    case "@json":
      return JSON.stringify(value);
    case "@base64":
      return base64Of(bytesOfText(textOf(value)));
    case "@base64d": {
      const bytes = tryBytesOfBase64(textOf(value));
      if (!bytes) throw new JqError(`${describe(value)} is not valid base64 data`);
      return textOfBytes(bytes);
    }
    case "@csv":
      return cells(value)
        .map((cell) =>
          typeof cell === "string" ? `"${cell.replaceAll('"', '""')}"` : cell === null ? "" : textOf(cell),
        )
        .join(",");
    case "@tsv":
      return cells(value)
        .map((cell) =>
          cell === null ? "" : textOf(cell).replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n"),
        )
        .join("\t");
    case "@sh":
      return (Array.isArray(value) ? (value as Json[]) : [value])
        .map((word) => (typeof word === "string" ? `'${word.replaceAll("'", "'\\''")}'` : JSON.stringify(word)))
        .join(" ");
    case "@uri":
      return encodeURIComponent(textOf(value)).replace(
        /[!'()*]/g,
        (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
      );
    case "@html":
      return textOf(value).replace(/[<>&'"]/g, (letter) => entities[letter] ?? letter);
    default:
      throw new JqError(`${name.slice(1)} is not a valid format`);
  }
}
