// The second address of a pod on a node that has ranges of both families: as far into the other range as the first is into its own.
import { bytesOfNumber, formatIp, numberOf, parseCidr, parseIpv4, parseIpv4Range } from "../../../shared/k8s/ip.ts";

export function secondAddress(podCidrs: readonly string[], first: string): string | undefined {
  const own = podCidrs.map(parseIpv4Range).find((range) => range !== undefined);
  const other = podCidrs.map(parseCidr).find((range) => range?.family === "IPv6");
  const value = parseIpv4(first);
  if (!own || !other || value === undefined || value < own.first || value >= own.first + own.size) return undefined;
  return formatIp({ bytes: bytesOfNumber(numberOf(other.bytes) | BigInt(value - own.first), other.bytes.length) });
}
