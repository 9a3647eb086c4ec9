// JSON values as jq compares, orders and shows them.
import { base64Of, tryBytesOfBase64 } from "../../../../../shared/base/base64.ts";
import { trimmedEnd } from "../../../../../shared/base/trim.ts";
import { bytesOfText, textOfBytes } from "../../../../../shared/base/byte-text.ts";

export type JsonRecord = Record<string, unknown>;

/** What jq calls an error: `try`, `?` and `//` see it. */
export class JqError extends Error {
  override name = "JqError";
  readonly value: unknown;

  constructor(value: unknown) {
    super(typeof value === "string" ? value : `${compact(value)} (not a string)`);
    this.value = value;
  }
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

export function isTrue(value: unknown): boolean {
  return value !== null && value !== undefined && value !== false;
}

export function compact(value: unknown): string {
  return JSON.stringify(value ?? null);
}

/** As it stands in an error. */
export function brief(value: unknown): string {
  const text = compact(value);
  return `${typeOf(value)} (${text.length > 11 ? `${text.slice(0, 10)}...` : text})`;
}

const order = ["null", "false", "true", "number", "string", "array", "object"];

function rank(value: unknown): number {
  return order.indexOf(typeof value === "boolean" ? String(value) : typeOf(value));
}

export function compareValues(a: unknown, b: unknown): number {
  const byType = rank(a) - rank(b);
  if (byType !== 0) return byType;
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let at = 0; at < Math.min(a.length, b.length); at++) {
      const found = compareValues(a[at], b[at]);
      if (found !== 0) return found;
    }
    return a.length - b.length;
  }
  if (isRecord(a) && isRecord(b)) {
    const [left, right] = [Object.keys(a).sort(), Object.keys(b).sort()];
    const byKeys = compareValues(left, right);
    if (byKeys !== 0) return byKeys;
    for (const key of left) {
      const found = compareValues(a[key], b[key]);
      if (found !== 0) return found;
    }
  }
  return 0;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : compact(value);
}

/** `@base64` and the like. */
export function inFormat(name: string, value: unknown): string {
  switch (name) {
    case "text":
      return textOf(value);
    case "json":
      return compact(value);
    case "base64":
      return base64Of(bytesOfText(textOf(value)));
    case "base64d": {
      const bytes = tryBytesOfBase64(padded(trimmedEnd(textOf(value).replace(/\s/g, ""), "=")));
      if (!bytes) throw new JqError(`${brief(value)} is not valid base64 data`);
      return textOfBytes(bytes);
    }
    case "uri":
      return encodeURIComponent(textOf(value)).replace(
        /[!'()*]/g,
        (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
      );
    case "html":
      return textOf(value).replace(/[&<>'"]/g, (one) => `&#${one.charCodeAt(0)};`);
    case "sh":
      return (Array.isArray(value) ? value : [value])
        .map((one) => (typeof one === "string" ? `'${one.replaceAll("'", "'\\''")}'` : compact(one)))
        .join(" ");
    case "csv":
      return row(name, value)
        .map((one) => (typeof one === "string" ? `"${one.replaceAll('"', '""')}"` : one === null ? "" : compact(one)))
        .join(",");
    case "tsv":
      return row(name, value)
        .map((one) =>
          one === null ? "" : textOf(one).replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n"),
        )
        .join("\t");
    default:
      throw new JqError(`${name} is not a valid format`);
  }
}

function padded(text: string): string {
  return text.padEnd(Math.ceil(text.length / 4) * 4, "=");
}

function row(name: string, value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new JqError(`${brief(value)} cannot be ${name}-formatted, only an array can be`);
  return value;
}
