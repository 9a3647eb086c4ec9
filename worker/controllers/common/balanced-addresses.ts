// The addresses of the simulated cloud's load balancers, from ranges reserved for documentation, so that they conflict with no network.
import { ingressAddress } from "../../kinds/networking/served-class.ts";

const prefixes = ["203.0.113", "198.51.100", "192.0.2"];
const ipv6Prefix = "2001:db8::";
const ipv6Count = 0xffff;

/** Returns the first free address of a family; undefined if all are taken. */
export function freeBalancedAddress(family: "IPv4" | "IPv6", taken: ReadonlySet<string>): string | undefined {
  for (const address of family === "IPv4" ? ipv4Addresses() : ipv6Addresses()) {
    if (!taken.has(address) && address !== ingressAddress) return address;
  }
  return undefined;
}

function* ipv4Addresses(): Generator<string> {
  for (const prefix of prefixes) for (let last = 1; last < 255; last++) yield `${prefix}.${last}`;
}

function* ipv6Addresses(): Generator<string> {
  for (let last = 1; last <= ipv6Count; last++) yield `${ipv6Prefix}${last.toString(16)}`;
}
