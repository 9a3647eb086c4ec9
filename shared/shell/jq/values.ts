// Values of jq: their order, their texts, and the errors that their operators end in.
import { byteLength, bytesOfText, textOfBytes } from "../../base/byte-text.ts";
import { charge, type Metered } from "../meter.ts";
import { base64Of, tryBytesOfBase64 } from "../../base/base64.ts";

export type Json = unknown;

/** An error that `try` catches. It takes no stack trace, which would cost more than all else that a filter does. */
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

export function told(value: Json): string {
  const text = beginningOf(value, toldCharacters);
  return `${typeOf(value)} (${byteLength(text) > 11 ? `${text.slice(0, 10)}...` : text})`;
}

/** More than an error shows, escapes of one character included. */
const toldCharacters = 24;

/** The JSON text of a value, cut once it has so many characters: a value of any size may stand in an error. */
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

/** Deeper values are refused, as jq refuses to read them. */
const deepest = 256;
const nodeWork = 0.15;

/** Pays for looking at all of a value before it is done: parts of it may stand in it many times. */
export function weigh(process: Metered, value: Json, depth = 0): void {
  if (typeof value === "string") charge(process, value.length / 256);
  if (typeof value !== "object" || value === null) return;
  if (depth > deepest) throw new JqError("Exceeds depth limit for parsing");
  for (const one of Array.isArray(value) ? (value as Json[]) : Object.values(value)) {
    charge(process, nodeWork);
    weigh(process, one, depth + 1);
  }
}

/** Bytes of what is made of two values, at the most. */
export function sizeOf(value: Json): number {
  return typeof value === "string"
    ? value.length
    : Array.isArray(value)
      ? value.length * 16
      : isObject(value)
        ? Object.keys(value).length * 64
        : 0;
}

export function isTrue(value: Json): boolean {
  return value !== null && value !== false;
}

const order = ["null", "boolean", "number", "string", "array", "object"];

/** Microseconds of comparing two members. */
const comparisonWork = 0.06;

/** Orders two values as jq does, and pays for each member that it looks at. */
export function compare(payer: Metered, a: Json, b: Json): number {
  if (a === b) return 0;
  if (typeof a === "string" && typeof b === "string") {
    if (a.length > 64 && b.length > 64) charge(payer, Math.min(a.length, b.length) / 1024);
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

/** Microseconds of one of the comparisons that order keys. */
const keyWork = 0.08;

export function sortedKeys(payer: Metered, value: Readonly<Record<string, Json>>): string[] {
  const keys = Object.keys(value);
  charge(payer, keyWork * keys.length * Math.log2(keys.length + 1));
  return keys.sort();
}

/** A text that two values have in common if jq takes them for equal. Pays for each member. */
function identityOf(payer: Metered, value: Json): string {
  charge(payer, nodeWork);
  if (typeof value === "string") {
    charge(payer, value.length / 512);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((one) => identityOf(payer, one)).join(",")}]`;
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
  throw new JqError(`${told(a)} and ${told(b)} cannot be added`);
}

export function calculate(payer: Metered, operator: string, a: Json, b: Json): Json {
  if (operator === "+") return add(a, b);
  if (typeof a === "number" && typeof b === "number") {
    if (operator === "-") return a - b;
    if (operator === "*") return a * b;
    if (b === 0) throw new JqError(`${told(a)} and ${told(b)} cannot be divided because the divisor is zero`);
    return operator === "/" ? a / b : Math.trunc(a) % Math.trunc(b);
  }
  if (operator === "-" && Array.isArray(a) && Array.isArray(b)) {
    const excluded = new Set((b as Json[]).map((one) => identityOf(payer, one)));
    return (a as Json[]).filter((one) => !excluded.has(identityOf(payer, one)));
  }
  if (operator === "/" && typeof a === "string" && typeof b === "string") return a.split(b);
  if (operator === "*" && isObject(a) && isObject(b)) return merged(payer, a, b);
  if (operator === "*" && typeof a === "string" && typeof b === "number")
    return b <= 0 ? null : a.repeat(Math.max(1, Math.floor(b)));
  const verb = { "-": "subtracted", "*": "multiplied", "/": "divided", "%": "divided" }[operator] ?? "";
  throw new JqError(`${told(a)} and ${told(b)} cannot be ${verb}`);
}

function merged(payer: Metered, a: Record<string, Json>, b: Record<string, Json>): Record<string, Json> {
  charge(payer, mergeWork * (Object.keys(a).length + Object.keys(b).length));
  const made = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = made[key];
    made[key] = isObject(before) && isObject(value) ? merged(payer, before, value) : value;
  }
  return made;
}

/** Microseconds of a member of an object that is merged. */
const mergeWork = 0.3;

/** Pays for each pair that it looks at: jq compares each element of one list with each of the other as well. */
export function contains(payer: Metered, a: Json, b: Json): boolean {
  charge(payer, comparisonWork);
  if (typeof a === "string" && typeof b === "string") {
    charge(payer, searchWork(a, b));
    return a.includes(b);
  }
  if (Array.isArray(a) && Array.isArray(b)) return b.every((one) => a.some((other) => contains(payer, other, one)));
  if (isObject(a) && isObject(b))
    return Object.entries(b).every(([key, value]) => Object.hasOwn(a, key) && contains(payer, a[key], value));
  return compare(payer, a, b) === 0;
}

/** Microseconds of looking for a text in another. */
export function searchWork(text: string, part: string): number {
  return ((text.length + part.length) * (1 + Math.log2(part.length + 1))) / 2048;
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

/** Microseconds of a character that is written in another form. */
const formatWork = 0.04;

/** `@base64` and its kin. */
export function formatted(payer: Metered, name: string, value: Json): string {
  weigh(payer, value);
  charge(payer, typeof value === "string" ? value.length * formatWork : 0);
  const cells = (one: Json): Json[] => {
    if (!Array.isArray(one))
      throw new JqError(`${told(one)} cannot be ${name.slice(1)}-formatted, only an array can be`);
    return one as Json[];
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
      if (!bytes) throw new JqError(`${told(value)} is not valid base64 data`);
      return textOfBytes(bytes);
    }
    case "@csv":
      return cells(value)
        .map((one) => (typeof one === "string" ? `"${one.replaceAll('"', '""')}"` : one === null ? "" : textOf(one)))
        .join(",");
    case "@tsv":
      return cells(value)
        .map((one) =>
          one === null ? "" : textOf(one).replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n"),
        )
        .join("\t");
    case "@sh":
      return (Array.isArray(value) ? (value as Json[]) : [value])
        .map((one) => (typeof one === "string" ? `'${one.replaceAll("'", "'\\''")}'` : JSON.stringify(one)))
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
