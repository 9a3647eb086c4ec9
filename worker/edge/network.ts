// The client's network instead of its address, so that records do not identify a person.
import { formatIp, masked, parseIp } from "../../shared/k8s/ip.ts";

/** Returns `203.0.113.0/24` or `2001:db8:1::/48`; empty if the platform does not send the address. */
export function networkOf(headers: Headers): string {
  const address = parseIp(headers.get("cf-connecting-ip") ?? "");
  if (!address) return "";
  const bits = address.bytes.length === 4 ? 24 : 48;
  return `${formatIp({ bytes: masked(address.bytes, bits) })}/${bits}`;
}

/**
 * Returns the key of a client for limits: the IPv4 address, or the IPv6 network of one customer. Empty if the platform does not send the
 * address.
 */
export function addressOf(headers: Headers): string {
  const address = headers.get("cf-connecting-ip") ?? "";
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const before = head.split(":").filter(Boolean);
  const after = (tail ?? "").split(":").filter(Boolean);
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array<string>(zeros).fill("0"), ...after].slice(0, 4).join(":");
}
