// A range that services get addresses of: which of its addresses may be given, and in which order. Pure.
import type { Random } from "../../../shared/base/random.ts";
import { type Cidr, contains, parseCidr } from "../network/cidr.ts";
import { formatIp, parseIp } from "../network/ip.ts";

export interface AddressRange {
  readonly cidr: Cidr;
  /** As it is written. */
  readonly text: string;
  readonly first: bigint;
  readonly last: bigint;
  /** Upstream keeps the addresses before this one for static use: it gives them last. */
  readonly dynamicFirst: bigint;
}

/** No address may be reserved that is the network's own, nor IPv4's broadcast. */
export function addressRange(text: string): AddressRange | undefined {
  const cidr = parseCidr(text);
  if (!cidr) return undefined;
  const size = 1n << BigInt(cidr.bytes.length * 8 - cidr.bits);
  const base = numberOf(cidr.bytes);
  const last = base + size - (cidr.family === "IPv4" ? 2n : 1n);
  return { cidr, text, first: base + 1n, last, dynamicFirst: base + 1n + offsetOf(size) };
}

/** Upstream's `PrefixContainsIP`. */
export function mayGive({ cidr, first, last }: AddressRange, text: string): boolean {
  const bytes = parseIp(text)?.bytes ?? [];
  if (!contains(cidr, bytes)) return false;
  const number = numberOf(bytes);
  return number >= first && number <= last;
}

/** From a random place on, the first address that is free; those for static use after all others. */
export function freeAddress(
  range: AddressRange,
  random: Random,
  isTaken: (text: string) => boolean,
): string | undefined {
  const { first, last, dynamicFirst, cidr } = range;
  const search = (from: bigint, to: bigint): string | undefined => {
    const count = to - from + 1n;
    if (count <= 0n) return undefined;
    const start = (count * BigInt(Math.floor(random.next() * 2 ** 48))) >> 48n;
    for (let step = 0n; step < count; step++) {
      const text = textOf(from + ((start + step) % count), cidr);
      if (!isTaken(text)) return text;
    }
    return undefined;
  };
  return search(dynamicFirst, last) ?? search(first, dynamicFirst - 1n);
}

/** The address before all that may be given: what a dry run shows. */
export function networkAddress({ first, cidr }: AddressRange): string {
  return textOf(first - 1n, cidr);
}

/** Upstream's `calculateRangeOffset`: a sixteenth, between 16 and 256. */
function offsetOf(size: bigint): bigint {
  if (size <= 16n) return 0n;
  const share = size / 16n;
  if (share < 16n) return 16n;
  return share > 256n ? 256n : share;
}

function numberOf(bytes: readonly number[]): bigint {
  return bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

function textOf(number: bigint, { family, bytes: { length } }: Cidr): string {
  const bytes = Array.from({ length }, (_, at) => Number((number >> BigInt((length - 1 - at) * 8)) & 255n));
  return formatIp({ family, bytes, hasLeadingZeros: false, isMapped: false });
}
