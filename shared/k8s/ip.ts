// IP addresses and ranges of them, as Go's `net` reads them: leading zeros of a decimal part are passed over, and told.

export interface IpAddress {
  readonly family: "IPv4" | "IPv6";
  /** Four or sixteen bytes. */
  readonly bytes: readonly number[];
  /** Some decimal part was written with leading zeros. */
  readonly hasLeadingZeros: boolean;
  /** An IPv6 spelling of an IPv4 address: `::ffff:10.0.0.1`. Its family is IPv4. */
  readonly isMapped: boolean;
}

export function parseIp(text: string): IpAddress | undefined {
  return text.includes(":") ? parseV6(text) : parseV4(text);
}

/** RFC 5952 for IPv6, dotted decimals for IPv4. */
export function formatIp({ bytes }: Pick<IpAddress, "bytes">): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, at) => (bytes[at * 2] ?? 0) * 256 + (bytes[at * 2 + 1] ?? 0));
  const { start, length } = longestZeros(groups);
  const hex = (part: readonly number[]) => part.map((group) => group.toString(16)).join(":");
  if (length < 2) return hex(groups);
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

export interface Cidr {
  readonly family: IpAddress["family"];
  /** Of the network's own address. */
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

/** The first `bits` of an address; the rest are zero. */
export function masked(bytes: readonly number[], bits: number): number[] {
  return bytes.map((byte, at) => byte & ~(255 >> Math.min(8, Math.max(0, bits - at * 8))));
}

/** An address as a number, whatever its family. */
export function numberOf(bytes: readonly number[]): bigint {
  return bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

/** `length` is that of the address: 4 or 16 bytes. */
export function bytesOfNumber(number: bigint, length: number): number[] {
  return Array.from({ length }, (_, at) => Number((number >> BigInt((length - 1 - at) * 8)) & 255n));
}

export function parseIpv4(text: string): number | undefined {
  const bytes = text.includes(":") ? undefined : parseIp(text)?.bytes;
  return bytes && Number(numberOf(bytes));
}

export function formatIpv4(value: number): string {
  return bytesOfNumber(BigInt(value), 4).join(".");
}

export interface Ipv4Range {
  /** The network's own address. */
  readonly first: number;
  readonly size: number;
}

/** `10.244.1.0/24`; undefined if it is not an IPv4 range. */
export function parseIpv4Range(text: string): Ipv4Range | undefined {
  const cidr = text.includes(":") ? undefined : parseCidr(text);
  return cidr && { first: Number(numberOf(cidr.bytes)), size: 2 ** (32 - cidr.bits) };
}

export function byteAt(ip: IpAddress, at: number): number {
  return ip.bytes[at] ?? 0;
}

function parseV4(text: string): IpAddress | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d+$/.test(part) && Number(part) < 256)) return undefined;
  const hasLeadingZeros = parts.some((part) => part.length > 1 && part.startsWith("0"));
  return { family: "IPv4", bytes: parts.map(Number), hasLeadingZeros, isMapped: false };
}

function parseV6(text: string): IpAddress | undefined {
  const [head = "", tail, ...more] = text.split("::");
  if (more.length) return undefined;
  const left = groupBytes(head);
  const right = tail === undefined ? [] : groupBytes(tail);
  if (!left || !right) return undefined;
  const missing = 16 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined;
  const bytes = [...left, ...new Array<number>(missing).fill(0), ...right];
  const embedded = text.includes(".") ? parseV4(text.slice(text.lastIndexOf(":") + 1)) : undefined;
  const hasLeadingZeros = embedded?.hasLeadingZeros ?? false;
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  return isMapped
    ? { family: "IPv4", bytes: bytes.slice(12), hasLeadingZeros, isMapped }
    : { family: "IPv6", bytes, hasLeadingZeros, isMapped };
}

/** The bytes of `a:b:c` or `a:b:1.2.3.4`. */
function groupBytes(text: string): number[] | undefined {
  if (!text) return [];
  const groups = text.split(":");
  const last = groups.at(-1) ?? "";
  const embedded = last.includes(".") ? parseV4(last) : undefined;
  if (last.includes(".") && !embedded) return undefined;
  const plain = embedded ? groups.slice(0, -1) : groups;
  if (!plain.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  const bytes = plain.flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
  return [...bytes, ...(embedded?.bytes ?? [])];
}

/** The first of the longest runs of zero groups. */
function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let run = 0;
  groups.forEach((group, at) => {
    run = group === 0 ? run + 1 : 0;
    if (run > best.length) best = { start: at - run + 1, length: run };
  });
  return best;
}
