// Values of jq: their order, their texts, and the errors that their operators end in.
import { byteLength, bytesOfText, textOfBytes } from "../../base/byte-text.ts";
import { charge, type Metered } from "../meter.ts";
import { base64Of, tryBytesOfBase64 } from "../../base/base64.ts";

export type Json = unknown;

export class JqError extends Error {
  readonly value: Json;
  constructor(value: Json) {
    super(typeof value === "string" ? value : `${JSON.stringify(value)} (not a string)`);
    this.value = value;
  }
}

export function isObject(value: Json): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function typeOf(value: Json): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

export function told(value: Json): string {
  const text = JSON.stringify(value);
  return `${typeOf(value)} (${byteLength(text) > 11 ? `${text.slice(0, 10)}...` : text})`;
}

/** Deeper values are refused, as jq refuses to read them. */
const deepest = 256;
const nodeWork = 0.1;

/** Pays for looking at all of a value before it is done: parts of it may stand in it many times. */
export function weigh(process: Metered, value: Json, depth = 0): void {
  if (typeof value === "string") charge(process, value.length / 512);
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

export function compare(a: Json, b: Json): number {
  const [left, right] = [typeOf(a), typeOf(b)];
  if (left !== right) return order.indexOf(left) - order.indexOf(right);
  if (typeof a === "boolean" || typeof a === "number" || typeof a === "string")
    return a === b ? 0 : a < (b as typeof a) ? -1 : 1;
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let at = 0; at < Math.min(a.length, b.length); at++) {
      const found = compare(a[at], b[at]);
      if (found !== 0) return found;
    }
    return a.length - b.length;
  }
  if (!isObject(a) || !isObject(b)) return 0;
  const keys = [Object.keys(a).sort(), Object.keys(b).sort()] as const;
  const found = compare(...keys);
  if (found !== 0) return found;
  for (const key of keys[0]) {
    const each = compare(a[key], b[key]);
    if (each !== 0) return each;
  }
  return 0;
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

export function calculate(operator: string, a: Json, b: Json): Json {
  if (operator === "+") return add(a, b);
  if (typeof a === "number" && typeof b === "number") {
    if (operator === "-") return a - b;
    if (operator === "*") return a * b;
    if (b === 0) throw new JqError(`${told(a)} and ${told(b)} cannot be divided because the divisor is zero`);
    return operator === "/" ? a / b : Math.trunc(a) % Math.trunc(b);
  }
  if (operator === "-" && Array.isArray(a) && Array.isArray(b))
    return (a as Json[]).filter((one) => !b.some((other) => compare(one, other) === 0));
  if (operator === "/" && typeof a === "string" && typeof b === "string") return a.split(b);
  if (operator === "*" && isObject(a) && isObject(b)) return merged(a, b);
  if (operator === "*" && typeof a === "string" && typeof b === "number")
    return b <= 0 ? null : a.repeat(Math.max(1, Math.floor(b)));
  const verb = { "-": "subtracted", "*": "multiplied", "/": "divided", "%": "divided" }[operator] ?? "";
  throw new JqError(`${told(a)} and ${told(b)} cannot be ${verb}`);
}

function merged(a: Record<string, Json>, b: Record<string, Json>): Record<string, Json> {
  const made = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = made[key];
    made[key] = isObject(before) && isObject(value) ? merged(before, value) : value;
  }
  return made;
}

export function contains(a: Json, b: Json): boolean {
  if (typeof a === "string" && typeof b === "string") return a.includes(b);
  if (Array.isArray(a) && Array.isArray(b)) return b.every((one) => a.some((other) => contains(other, one)));
  if (isObject(a) && isObject(b))
    return Object.entries(b).every(([key, value]) => Object.hasOwn(a, key) && contains(a[key], value));
  return compare(a, b) === 0;
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

/** `@base64` and its kin. */
export function formatted(name: string, value: Json): string {
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
