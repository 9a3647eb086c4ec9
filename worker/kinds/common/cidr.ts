// Ranges of addresses: reading, canonical text, and which lies within which.
import { type FieldError, type FieldPath, invalid } from "../../../shared/k8s/field.ts";
import { type IpAddress, formatIp, parseIp } from "../../../shared/k8s/ip.ts";
import { validateCidr, validateIp } from "./ip-validation.ts";

export interface Cidr {
  readonly family: "IPv4" | "IPv6";
  readonly bytes: readonly number[];
  readonly bits: number;
}

export function parseCidr(text: string): Cidr | undefined {
  const [address = "", length = "", ...more] = text.split("/");
  const ip = parseIp(address);
  if (!ip || more.length || !/^\d+$/.test(length)) return undefined;
  const bits = Number(length) - (ip.isMapped ? 96 : 0);
  if (bits < 0 || bits > ip.bytes.length * 8) return undefined;
  return { family: ip.family, bytes: masked(ip.bytes, bits), bits };
}

export function contains(outer: Cidr, bytes: readonly number[]): boolean {
  if (outer.bytes.length !== bytes.length) return false;
  return masked(bytes, outer.bits).every((byte, at) => byte === outer.bytes[at]);
}

/** Upstream's `IsValidCIDR`: valid, and written as it would be printed. */
export function validateCanonicalCidr(value: string, at: FieldPath): FieldError[] {
  const errors = validateCidr(value, at);
  const cidr = parseCidr(value);
  if (errors.length || !cidr) return errors;
  return validateCanonical(value, `${textOf(cidr.bytes)}/${cidr.bits}`, at);
}

/** Upstream's `IsValidIP`. */
export function validateCanonicalIp(value: string, at: FieldPath): FieldError[] {
  const errors = validateIp(value, at);
  const ip = parseIp(value);
  return errors.length || !ip ? errors : validateCanonical(value, formatIp(ip), at);
}

function validateCanonical(value: string, canonical: string, at: FieldPath): FieldError[] {
  return value === canonical ? [] : [invalid(at, value, `must be in canonical form (${JSON.stringify(canonical)})`)];
}

function textOf(bytes: readonly number[]): string {
  const family: IpAddress["family"] = bytes.length === 4 ? "IPv4" : "IPv6";
  return formatIp({ family, bytes, hasLeadingZeros: false, isMapped: false });
}

function masked(bytes: readonly number[], bits: number): number[] {
  return bytes.map((byte, at) => byte & ~(255 >> Math.min(8, Math.max(0, bits - at * 8))));
}
