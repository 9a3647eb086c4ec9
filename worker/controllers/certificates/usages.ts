// What a certificate may be used for: the names of usages, as bits of its key usage and as extended usages. Pure.

export interface Usages {
  /** The first is the most significant of the first byte; without empty bytes at the end. */
  readonly bits: Uint8Array;
  readonly extended: readonly string[];
}

/** The place of the bit. */
const places: Readonly<Record<string, number>> = {
  signing: 0,
  "digital signature": 0,
  "content commitment": 1,
  "key encipherment": 2,
  "data encipherment": 3,
  "key agreement": 4,
  "cert sign": 5,
  "crl sign": 6,
  "encipher only": 7,
  "decipher only": 8,
};

/** In the order in which Go writes them. */
const extended: readonly (readonly [usage: string, oid: string])[] = [
  ["any", "2.5.29.37.0"],
  ["server auth", "1.3.6.1.5.5.7.3.1"],
  ["client auth", "1.3.6.1.5.5.7.3.2"],
  ["code signing", "1.3.6.1.5.5.7.3.3"],
  ["email protection", "1.3.6.1.5.5.7.3.4"],
  ["s/mime", "1.3.6.1.5.5.7.3.4"],
  ["ipsec end system", "1.3.6.1.5.5.7.3.5"],
  ["ipsec tunnel", "1.3.6.1.5.5.7.3.6"],
  ["ipsec user", "1.3.6.1.5.5.7.3.7"],
  ["timestamping", "1.3.6.1.5.5.7.3.8"],
  ["ocsp signing", "1.3.6.1.5.5.7.3.9"],
  ["microsoft sgc", "1.3.6.1.4.1.311.10.3.3"],
  ["netscape sgc", "2.16.840.1.113730.4.1"],
];

export function usagesOf(names: readonly string[]): Usages {
  const wanted = names.flatMap((name) => (Object.hasOwn(places, name) ? [places[name] ?? 0] : []));
  const byte = (at: number) =>
    wanted.filter((place) => place >> 3 === at).reduce((bits, place) => bits | (0x80 >> (place & 7)), 0);
  const bytes = byte(1) ? [byte(0), byte(1)] : byte(0) ? [byte(0)] : [];
  const oids = extended.filter(([usage]) => names.includes(usage)).map(([, oid]) => oid);
  return { bits: Uint8Array.from(bytes), extended: [...new Set(oids)] };
}
