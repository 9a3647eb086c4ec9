// Validates IP addresses and CIDRs in API fields with upstream's strict rules (the default since 1.36).
import { type FieldError, type FieldPath, invalid } from "../../../shared/k8s/field.ts";
import { type IpAddress, byteAt, formatIp, masked, parseCidr, parseIp } from "../../../shared/k8s/ip.ts";

export function validateIpForLegacyField(value: string, path: FieldPath): FieldError[] {
  const ip = parseIp(value);
  if (!ip) return [invalid(path, value, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")];
  if (ip.hasLeadingZeros) return [invalid(path, value, "must not have leading 0s")];
  if (ip.isMapped) return [invalid(path, value, "must not be an IPv4-mapped IPv6 address")];
  return [];
}

export function validateCidrForLegacyField(value: string, path: FieldPath): FieldError[] {
  const [address = "", length = "", ...more] = value.split("/");
  const ip = parseIp(address);
  const bits = Number(length);
  const isCidr = ip && !more.length && /^\d+$/.test(length) && bits <= ip.bytes.length * 8 + (ip.isMapped ? 96 : 0);
  if (!isCidr) return [invalid(path, value, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")];
  if (ip.hasLeadingZeros || (length.length > 1 && length.startsWith("0"))) {
    return [invalid(path, value, "must not have leading 0s in IP or prefix length")];
  }
  if (ip.isMapped) return [invalid(path, value, "must not have an IPv4-mapped IPv6 address")];
  const network = masked(ip.bytes, bits);
  const hasHostBits = ip.bytes.some((byte, at) => byte !== network[at]);
  return hasHostBits ? [invalid(path, value, "must not have bits set beyond the prefix length")] : [];
}

/** Validates a CIDR, which must be in canonical form. */
export function validateCidr(value: string, at: FieldPath): FieldError[] {
  const errors = validateCidrForLegacyField(value, at);
  const cidr = parseCidr(value);
  if (errors.length || !cidr) return errors;
  return validateCanonical(value, `${formatIp(cidr)}/${cidr.bits}`, at);
}

export function validateIp(value: string, at: FieldPath): FieldError[] {
  const errors = validateIpForLegacyField(value, at);
  const ip = parseIp(value);
  return errors.length || !ip ? errors : validateCanonical(value, formatIp(ip), at);
}

function validateCanonical(value: string, canonical: string, at: FieldPath): FieldError[] {
  return value === canonical ? [] : [invalid(at, value, `must be in canonical form (${JSON.stringify(canonical)})`)];
}

/** Rejects addresses that cannot belong to a peer. */
export function validateEndpointIp(value: string, path: FieldPath): FieldError[] {
  const ip = parseIp(value);
  if (!ip) return [invalid(path, value, "must be a valid IP address")];
  const errors: FieldError[] = [];
  if (ip.bytes.every((byte) => byte === 0)) errors.push(invalid(path, value, `may not be unspecified (${value})`));
  if (isLoopback(ip)) {
    errors.push(invalid(path, value, "may not be in the loopback range (127.0.0.0/8, ::1/128)"));
  }
  if (isLinkLocal(ip)) {
    errors.push(invalid(path, value, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"));
  }
  if (isLinkLocalMulticast(ip)) {
    errors.push(invalid(path, value, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"));
  }
  return errors;
}

export function getWarningsForIp(value: string, path: FieldPath): string[] {
  const ip = parseIp(value);
  if (ip?.family !== "IPv6" || ip.hasLeadingZeros) return [];
  const canonical = formatIp(ip);
  if (canonical === value) return [];
  return [`${path}: IPv6 address ${quote(value)} should be in RFC 5952 canonical format (${quote(canonical)})`];
}

export function getWarningsForCidr(value: string, path: FieldPath): string[] {
  const [address = "", length = ""] = value.split("/");
  const ip = parseIp(address);
  if (ip?.family !== "IPv6" || ip.hasLeadingZeros) return [];
  const canonical = `${formatIp(ip)}/${length}`;
  if (canonical === value) return [];
  return [`${path}: IPv6 CIDR value ${quote(value)} should be in RFC 5952 canonical format (${quote(canonical)})`];
}

const quote = (text: string) => JSON.stringify(text);

function isLoopback(ip: IpAddress): boolean {
  if (ip.family === "IPv4") return ip.bytes[0] === 127;
  return ip.bytes.slice(0, 15).every((byte) => byte === 0) && ip.bytes[15] === 1;
}

function isLinkLocal(ip: IpAddress): boolean {
  if (ip.family === "IPv4") return ip.bytes[0] === 169 && ip.bytes[1] === 254;
  return ip.bytes[0] === 0xfe && (byteAt(ip, 1) & 0xc0) === 0x80;
}

function isLinkLocalMulticast(ip: IpAddress): boolean {
  if (ip.family === "IPv4") return ip.bytes[0] === 224 && ip.bytes[1] === 0 && ip.bytes[2] === 0;
  return ip.bytes[0] === 0xff && (byteAt(ip, 1) & 0x0f) === 0x02;
}
