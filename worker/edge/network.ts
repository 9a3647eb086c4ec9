// From where a request came, so that nobody is told by it: the network, not the machine.
import { formatIp, masked, parseIp } from "../../shared/k8s/ip.ts";

/** `203.0.113.0/24`, `2001:db8:1::/48`; empty where the platform does not say. */
export function networkOf(headers: Headers): string {
  const address = parseIp(headers.get("cf-connecting-ip") ?? "");
  if (!address) return "";
  const bits = address.bytes.length === 4 ? 24 : 48;
  return `${formatIp({ bytes: masked(address.bytes, bits) })}/${bits}`;
}
