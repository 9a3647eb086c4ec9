// IP addresses and networks as Go's netip parses and prints them.
import { formatIp, masked as maskedBytes } from "../k8s/ip.ts";

export interface Address {
  readonly family: 4 | 6;
  /** 4 or 16 bytes. */
  readonly bytes: readonly number[];
  readonly zone: string;
}

export interface Network {
  readonly address: Address;
  readonly bits: number;
}

type Problem = { readonly error: string };

export function parseAddress(text: string): Address | Problem {
  const wrong = (why: string) => ({ error: `ParseAddr(${JSON.stringify(text)}): ${why}` });
  const mark = /[.:%]/.exec(text)?.[0];
  if (mark === undefined) return wrong("unable to parse IP");
  if (mark === "%") return wrong("missing IPv6 address");
  if (mark === ".") {
    const bytes = bytesOf4(text);
    return typeof bytes === "string" ? wrong(bytes) : { family: 4, bytes, zone: "" };
  }
  const percent = text.indexOf("%");
  const zone = percent < 0 ? "" : text.slice(percent + 1);
  if (percent >= 0 && !zone) return wrong("zone must be a non-empty string");
  const bytes = bytesOf6(percent < 0 ? text : text.slice(0, percent));
  return typeof bytes === "string" ? wrong(bytes) : { family: 6, bytes, zone };
}

export function parseNetwork(text: string): Network | Problem {
  const wrong = (why: string) => ({ error: `netip.ParsePrefix(${JSON.stringify(text)}): ${why}` });
  const slash = text.lastIndexOf("/");
  if (slash < 0) return wrong("no '/'");
  const address = parseAddress(text.slice(0, slash));
  if ("error" in address) return wrong(address.error);
  if (address.zone) return wrong("IPv6 zones cannot be present in a prefix");
  const digits = text.slice(slash + 1);
  if (!/^(0|[1-9][0-9]*)$/.test(digits)) return wrong(`bad bits after slash: ${JSON.stringify(digits)}`);
  const bits = Number(digits);
  if (bits > address.bytes.length * 8) return wrong("prefix length out of range");
  return { address, bits };
}

/** Reports whether an address is an IPv4 address in IPv6: `::ffff:1.2.3.4`. */
export function isMapped({ family, bytes }: Address): boolean {
  return family === 6 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
}

export function addressText({ bytes, zone }: Address): string {
  return zone ? `${formatIp({ bytes })}%${zone}` : formatIp({ bytes });
}

export function masked({ address, bits }: Network): Network {
  return { address: { ...address, bytes: maskedBytes(address.bytes, bits) }, bits };
}

export function networkHolds(network: Network, address: Address): boolean {
  if (network.address.family !== address.family) return false;
  const [a, b] = [masked(network), masked({ address, bits: network.bits })];
  return sameBytes(a.address, b.address);
}

export function sameBytes(a: Address, b: Address): boolean {
  return a.family === b.family && a.zone === b.zone && a.bytes.every((byte, index) => byte === b.bytes[index]);
}

function bytesOf4(text: string): number[] | string {
  const fields = text.split(".");
  const bytes: number[] = [];
  for (const field of fields) {
    if (/[^0-9]/.test(field)) return "unexpected character";
    if (!field) return "IPv4 field must have at least one digit";
    if (/^0[0-9]/.test(field)) return "IPv4 field has octet with leading zero";
    if (Number(field) > 255) return "IPv4 field has value >255";
    bytes.push(Number(field));
    if (bytes.length > 4) return "IPv4 address too long";
  }
  return bytes.length < 4 ? "IPv4 address too short" : bytes;
}

function bytesOf6(text: string): number[] | string {
  const halves = text.split("::");
  if (halves.length > 2) return "multiple :: in address";
  const groups = halves.map((half, index) => groupsOf(half, index === halves.length - 1));
  for (const group of groups) if (typeof group === "string") return group;
  const [head = [], tail] = groups as number[][];
  if (!tail)
    return head.length === 16 ? head : head.length < 16 ? "address string too short" : "trailing garbage after address";
  const missing = 16 - head.length - tail.length;
  return missing < 2
    ? "the :: must expand to at least one field of zeros"
    : [...head, ...Array<number>(missing).fill(0), ...tail];
}

function groupsOf(half: string, isLast: boolean): number[] | string {
  if (!half) return [];
  const bytes: number[] = [];
  const groups = half.split(":");
  for (const [index, group] of groups.entries()) {
    if (group.includes(".") && isLast && index === groups.length - 1) {
      const four = bytesOf4(group);
      if (typeof four === "string") return four;
      bytes.push(...four);
    } else if (!group) return "each colon-separated field must have at least one digit";
    else if (!/^[0-9a-fA-F]+$/.test(group)) return "unexpected character, want colon";
    else if (group.length > 4) return "each group must have 4 or less digits";
    else bytes.push(parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff);
  }
  return bytes;
}
