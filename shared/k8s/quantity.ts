// Quantities: `100m`, `1.5Gi`, `12e6`. They are exact, in billionths, which is upstream's finest unit.

export interface Quantity {
  readonly nanos: bigint;
  readonly format: "BinarySI" | "DecimalSI" | "DecimalExponent";
  /** The text that was parsed, if upstream prints it again in place of the canonical form. */
  readonly text?: string;
}

const billion = 1_000_000_000n;
/** The largest binary quantity: 2^63 - 1. Upstream caps there. */
const maxBinary = ((1n << 63n) - 1n) * billion;
/** The largest exponent. Upstream would need unbounded time for larger ones. */
const maxExponent = 400;
const decimalSuffixes: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binarySuffixes: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

export const zeroQuantity: Quantity = { nanos: 0n, format: "DecimalSI" };

/** Parses a quantity. Returns undefined if the text is not one. */
export function parseQuantity(text: string): Quantity | undefined {
  const match = /^([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]*))((?:[A-Za-z]+(?:[+-]?[0-9]+)?|[+-][0-9]+)?)$/.exec(text);
  if (!match) return undefined;
  const [, sign, integerDigits = "", afterWhole, alone, suffix = ""] = match;
  const fraction = afterWhole ?? alone ?? "";
  const unit = quantityUnit(suffix);
  if (!unit) return undefined;
  const digits = BigInt(`0${integerDigits}${fraction}`);
  const exact = unit.format === "BinarySI" ? digits << BigInt(unit.exponent) : digits;
  const exponent = (unit.format === "BinarySI" ? 0 : unit.exponent) - fraction.length;
  const magnitude = shift(exact, exponent + 9);
  const capped = unit.format === "BinarySI" && magnitude > maxBinary ? maxBinary : magnitude;
  const isSmallBinary = unit.format === "BinarySI" && capped > 0n && capped < billion;
  return {
    nanos: sign === "-" ? -capped : capped,
    format: isSmallBinary ? "DecimalSI" : unit.format,
    ...(keepsText(integerDigits, fraction, unit) ? { text } : {}),
  };
}

export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  if (a.nanos === b.nanos) return 0;
  return a.nanos < b.nanos ? -1 : 1;
}

/** The sum keeps the format of the first that is not zero, as upstream's `Add`. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos + b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

export function subQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos - b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** Upstream's canonical form: no fraction, the largest suffix that loses nothing. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  const { nanos } = quantity;
  if (nanos === 0n) return "0";
  const magnitude = nanos < 0n ? -nanos : nanos;
  const isBinary = quantity.format === "BinarySI" && magnitude >= 1024n * billion && magnitude % billion === 0n;
  const text = isBinary
    ? formatBinary(magnitude / billion)
    : formatDecimal(magnitude, quantity.format === "DecimalExponent");
  return nanos < 0n ? `-${text}` : text;
}

/** Returns an integer, rounded away from zero. An invalid quantity counts as 0. */
export function quantityValue(text: string | number): number {
  return scaled(text, billion);
}

/** Returns thousandths, rounded away from zero. An invalid quantity counts as 0. */
export function quantityMilliValue(text: string | number): number {
  return scaled(text, 1_000_000n);
}

function scaled(text: string | number, unit: bigint): number {
  const nanos = parseQuantity(String(text))?.nanos ?? 0n;
  return nanos < 0n ? -Number(divideUp(-nanos, unit)) : Number(divideUp(nanos, unit));
}

interface Unit {
  readonly exponent: number;
  readonly format: Quantity["format"];
}

/** Returns the power of two or of ten that a suffix multiplies by. */
export function quantityUnit(suffix: string): Unit | undefined {
  const decimal = Object.hasOwn(decimalSuffixes, suffix) ? decimalSuffixes[suffix] : undefined;
  if (decimal !== undefined) return { exponent: decimal, format: "DecimalSI" };
  const binary = Object.hasOwn(binarySuffixes, suffix) ? binarySuffixes[suffix] : undefined;
  if (binary !== undefined) return { exponent: binary, format: "BinarySI" };
  if (!/^[eE][+-]?[0-9]+$/.test(suffix)) return undefined;
  const exponent = Number(suffix.slice(1));
  return Math.abs(exponent) <= maxExponent ? { exponent, format: "DecimalExponent" } : undefined;
}

/**
 * Reports whether upstream prints the text again: it parses numbers that fit an int64 on a fast path, and keeps a text that looks
 * canonical.
 */
function keepsText(integerDigits: string, fraction: string, { exponent, format }: Unit): boolean {
  const number = integerDigits.replace(/^0+/, "");
  const shifted = `${number || "0"}${fraction}`;
  if (number === "" && fraction === "" && exponent === 0) return false;
  if (format === "BinarySI") {
    const precision = 15 - (number || "0").length - Math.trunc((exponent * 3) / 10) - 1;
    return fraction === "" && precision >= 0 && BigInt(shifted) % 8n !== 0n;
  }
  const scale = exponent - fraction.length;
  const fits = shifted.length <= 18 && scale >= -9;
  return fits && scale % 3 === 0 && !shifted.endsWith("000") && !shifted.startsWith("0");
}

/** Returns `value * 10^exponent`, rounded up. */
function shift(value: bigint, exponent: number): bigint {
  return exponent >= 0 ? value * 10n ** BigInt(exponent) : divideUp(value, 10n ** BigInt(-exponent));
}

function divideUp(value: bigint, by: bigint): bigint {
  return value % by === 0n ? value / by : value / by + 1n;
}

function formatBinary(value: bigint): string {
  let rest = value;
  let steps = 0;
  for (; rest % 1024n === 0n && steps < 6; steps++) rest /= 1024n;
  return `${rest}${["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"][steps] ?? ""}`;
}

function formatDecimal(magnitude: bigint, asExponent: boolean): string {
  let rest = magnitude;
  let exponent = -9;
  const largest = asExponent ? Number.POSITIVE_INFINITY : 18;
  for (; rest % 1000n === 0n && exponent < largest; exponent += 3) rest /= 1000n;
  if (asExponent) return exponent === 0 ? String(rest) : `${rest}e${exponent}`;
  return `${rest}${["n", "u", "m", "", "k", "M", "G", "T", "P", "E"][(exponent + 9) / 3] ?? ""}`;
}
