// The second address of a pod on a dual-stack node. Its offset in its range is the first address's offset in the first range.
import { bytesOfNumber, formatIp, numberOf, parseCidr, parseIpv4, parseIpv4Range } from "../../../shared/k8s/ip.ts";

export function secondAddress(podCidrs: readonly string[], first: string): string | undefined {
  const ipv4Range = podCidrs.map(parseIpv4Range).find((range) => range !== undefined);
  const ipv6Range = podCidrs.map(parseCidr).find((range) => range?.family === "IPv6");
  const value = parseIpv4(first);
  if (
    !ipv4Range ||
    !ipv6Range ||
    value === undefined ||
    value < ipv4Range.first ||
    value >= ipv4Range.first + ipv4Range.size
  )
    return undefined;
  return formatIp({
    bytes: bytesOfNumber(numberOf(ipv6Range.bytes) | BigInt(value - ipv4Range.first), ipv6Range.bytes.length),
  });
}
