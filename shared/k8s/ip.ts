// IP addresses and ranges as Go's `net` parses them. Leading zeros of a decimal part are accepted and reported.

export interface IpAddress {
  readonly family: "IPv4" | "IPv6";
  /** Four or sixteen bytes. */
  readonly bytes: readonly number[];
  /** Whether a decimal part has leading zeros. */
  readonly hasLeadingZeros: boolean;
  /** Whether this is an IPv6 spelling of an IPv4 address: `::ffff:10.0.0.1`. Its family is IPv4. */
  readonly isMapped: boolean;
}

export function parseIp(text: string): IpAddress | undefined {
  return text.includes(":") ? parseV6(text) : parseV4(text);
}

/** Formats as RFC 5952 for IPv6, and as dotted decimals for IPv4. */
export function formatIp({ bytes }: Pick<IpAddress, "bytes">): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, at) => (bytes[at * 2] ?? 0) * 256 + (bytes[at * 2 + 1] ?? 0));
  const { start, length } = longestZeros(groups);
  const hex = (list: readonly number[]) => list.map((group) => group.toString(16)).join(":");
  if (length < 2) return hex(groups);
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

export interface Cidr {
  readonly family: IpAddress["family"];
  /** The bytes of the network's own address. */
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

/** Returns the first `bits` of an address; the rest are zero. */
export function masked(bytes: readonly number[], bits: number): number[] {
  return bytes.map((byte, at) => byte & ~(255 >> Math.min(8, Math.max(0, bits - at * 8))));
}

/** Returns an address of either family as a number. */
export function numberOf(bytes: readonly number[]): bigint {
  return bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

/** Returns a number as an address of 4 or 16 bytes. */
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

/** Parses `10.244.1.0/24`. Returns undefined if the text is not an IPv4 range. */
export function parseIpv4Range(text: string): Ipv4Range | undefined {
  const cidr = text.includes(":") ? undefined : parseCidr(text);
  return cidr && { first: Number(numberOf(cidr.bytes)), size: 2 ** (32 - cidr.bits) };
}

export function byteAt(ip: IpAddress, at: number): number {
  return ip.bytes[at] ?? 0;
}

function parseV4(text: string): IpAddress | undefined {
  const decimals = text.split(".");
  if (decimals.length !== 4 || !decimals.every((decimal) => /^\d+$/.test(decimal) && Number(decimal) < 256))
    return undefined;
  const hasLeadingZeros = decimals.some((decimal) => decimal.length > 1 && decimal.startsWith("0"));
  return { family: "IPv4", bytes: decimals.map(Number), hasLeadingZeros, isMapped: false };
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

/** Returns the bytes of `a:b:c` or `a:b:1.2.3.4`. */
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

/** Finds the first of the longest runs of zero groups. */
function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let run = 0;
  groups.forEach((group, at) => {
    run = group === 0 ? run + 1 : 0;
    if (run > best.length) best = { start: at - run + 1, length: run };
  });
  return best;
}
