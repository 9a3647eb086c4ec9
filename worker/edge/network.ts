// From where a request came, so that nobody is told by it: the network, not the machine.
import { formatIp, masked, parseIp } from "../../shared/k8s/ip.ts";

/** `203.0.113.0/24`, `2001:db8:1::/48`; empty where the platform does not say. */
export function networkOf(headers: Headers): string {
  const address = parseIp(headers.get("cf-connecting-ip") ?? "");
  if (!address) return "";
  const bits = address.bytes.length === 4 ? 24 : 48;
  return `${formatIp({ bytes: masked(address.bytes, bits) })}/${bits}`;
}

/** Who counts as one: the address as the platform tells it, of IPv6 the network that one customer has; empty where it does not say. */
export function addressOf(headers: Headers): string {
  const address = headers.get("cf-connecting-ip") ?? "";
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const before = head.split(":").filter(Boolean);
  const after = (tail ?? "").split(":").filter(Boolean);
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array<string>(zeros).fill("0"), ...after].slice(0, 4).join(":");
}
