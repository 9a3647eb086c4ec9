// Decodes single values: scalars and the special forms, from JSON into the text or number that Go prints.
import { BoundedCache } from "../base/bounded-cache.ts";
import { base64Of } from "../base/base64.ts";
import { formatQuantity, parseQuantity } from "../k8s/quantity.ts";
import { canonicalBase64 } from "./base64.ts";
import { type Context, MismatchError, misfit, mismatch } from "./decode-context.ts";
import { formatDuration, parseDuration } from "./durations.ts";
import type { Form } from "./graph.ts";
import { copyJson } from "./json-values.ts";
import { canonicalTime } from "./timestamps.ts";

export type Reader = (value: unknown, context: Context) => unknown;

/** Returns the reader of a form; undefined for forms that need the type graph. */
export function scalarReader(form: Form, goType: string): Reader | undefined {
  switch (form) {
    case "string":
      return (value, context) => {
        if (typeof value === "string") return value;
        throw mismatch(value, goType, context);
      };
    case "bool":
      return (value, context) => {
        if (typeof value === "boolean") return value;
        throw mismatch(value, goType, context);
      };
    case "float32":
    case "float64":
      return (value, context) => {
        if (typeof value === "number") return value;
        throw mismatch(value, goType, context);
      };
    case "bytes":
      return readBytes;
    case "quantity":
      return readQuantity;
    case "time":
      return (value, context) => readTime(value, false, context);
    case "microtime":
      return (value, context) => readTime(value, true, context);
    case "duration":
      return readDuration;
    case "intOrString":
      return (value, context) => (typeof value === "string" ? value : readInteger(value, "int32", context));
    case "raw":
    case "json":
      return copyJson;
    case "fieldsV1":
      // Values for storage are immutable, and shared.
      return (value) => (Object.isFrozen(value) ? value : copyJson(value));
    default:
      return Object.hasOwn(ranges, form) ? (value, context) => readInteger(value, form, context) : undefined;
  }
}

/** Returns the JSON of Go's zero value of a form; undefined if that is null, which is omitted. */
export function zeroOf(form: Form): unknown {
  switch (form) {
    case "string":
    case "bytes":
      return "";
    case "bool":
      return false;
    case "quantity":
      return "0";
    case "time":
    case "microtime":
      return null;
    case "duration":
      return "0s";
    case "raw":
    case "json":
    case "fieldsV1":
    case "schemaOrArray":
    case "schemaOrStringArray":
      return undefined;
    case "schemaOrBool":
      return false;
    default:
      return 0;
  }
}

const ranges: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  // The first number past the range; numbers near it are not exact in JavaScript.
  int64: [-(2 ** 63), 2 ** 63],
  uint8: [0, 255],
  uint32: [0, 2 ** 32 - 1],
  uint64: [0, 2 ** 64],
};

function readInteger(value: unknown, form: string, context: Context): number {
  if (typeof value !== "number") throw mismatch(value, form, context);
  const [least, most] = ranges[form] ?? [0, 0];
  if (!Number.isInteger(value) || value < least || value > most) throw misfit(value, form, context);
  return value === 0 ? 0 : value;
}

function readBytes(value: unknown, context: Context): string {
  if (Array.isArray(value)) return readByteList(value, context);
  if (typeof value !== "string") throw mismatch(value, "[]uint8", context);
  const canonical = canonicalBase64(value);
  if (typeof canonical === "string") return canonical;
  const via = context.source === "map" ? "error decoding from json: " : "";
  throw new MismatchError(`${via}illegal base64 data at input byte ${canonical.badByte}`, context);
}

/** Reads a list of numbers, which Go also accepts as bytes. */
function readByteList(values: readonly unknown[], context: Context): string {
  const bytes = values.map((value) => (value === null ? 0 : readInteger(value, "uint8", context)));
  return base64Of(Uint8Array.from(bytes));
}

function readTime(value: unknown, micro: boolean, context: Context): string | null {
  if (value === null) return null;
  if (typeof value !== "string") throw mismatch(value, "string", context);
  const time = canonicalTime(value, micro);
  if ("error" in time) throw new MismatchError(time.error, context);
  return time.text;
}

function readDuration(value: unknown, context: Context): string {
  if (typeof value !== "string") throw mismatch(value, "string", context);
  const nanos = parseDuration(value);
  if (typeof nanos === "object") throw new MismatchError(nanos.error, context);
  return formatDuration(nanos);
}

/** The canonical forms of texts that were parsed before. A cluster uses few, and parsing is slow because it is exact. */
const canonicalQuantities = new BoundedCache<string, string>(4000);

function readQuantity(value: unknown, context: Context): string {
  const text = typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
  const cached = canonicalQuantities.get(text);
  if (cached !== undefined) return cached;
  const quantity = parseQuantity(text.trim());
  if (!quantity) throw new MismatchError(whyNoQuantity(text.trim()), context);
  const canonical = formatQuantity(quantity);
  if (text.length <= 32) canonicalQuantities.set(text, canonical);
  return canonical;
}

function whyNoQuantity(text: string): string {
  const shape = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";
  // The same form, but here the first group takes as many digits as it can.
  const match = /^([+-]?[0-9.]+)(?:[eEinumkKMGTP]+[-+]?[0-9]*|[-+][0-9]*)?$/.exec(text);
  if (!match) return `quantities must match the regular expression '${shape}'`;
  const isNumber = /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$/.test(match[1] ?? "");
  return isNumber ? "unable to parse quantity's suffix" : "unable to parse numeric part of quantity";
}
