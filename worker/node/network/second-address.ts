// The second address of a pod on a node that has ranges of both families: as far into the other range as the first is into its own.
import { parseCidr as parseAnyCidr } from "../../kinds/common/cidr.ts";
import { formatIp } from "../../../shared/k8s/ip.ts";
import { parseCidr, parseIpv4 } from "./cidr.ts";

export function secondAddress(podCidrs: readonly string[], first: string): string | undefined {
  const own = podCidrs.map(parseCidr).find((range) => range !== undefined);
  const other = podCidrs.map(parseAnyCidr).find((range) => range?.family === "IPv6");
  const value = parseIpv4(first);
  if (!own || !other || value === undefined || value < own.first || value >= own.first + own.size) return undefined;
  const offset = value - own.first;
  const bytes = [...other.bytes];
  for (let at = 0; at < 4; at++) {
    const index = bytes.length - 1 - at;
    bytes[index] = (bytes[index] ?? 0) | ((offset >>> (at * 8)) & 255);
  }
  return formatIp({ family: "IPv6", bytes, hasLeadingZeros: false, isMapped: false });
}
