// IPv4 ranges as numbers.

export interface Range {
  /** The network's own address. */
  readonly first: number;
  readonly size: number;
}

/** `10.244.1.0/24`; undefined if it is not an IPv4 range. */
export function parseCidr(cidr: string): Range | undefined {
  const [address = "", length = ""] = cidr.split("/");
  const value = parseIpv4(address);
  const bits = Number(length);
  if (value === undefined || length === "" || !(bits >= 0 && bits <= 32)) return undefined;
  const size = 2 ** (32 - bits);
  return { first: value - (value % size), size };
}

export function parseIpv4(address: string): number | undefined {
  const parts = address.split(".");
  if (parts.length !== 4 || parts.some((part) => !/^\d{1,3}$/.test(part) || Number(part) > 255)) return undefined;
  return parts.reduce((value, part) => value * 256 + Number(part), 0);
}

export function formatIpv4(value: number): string {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join(".");
}
