// Which cluster IP a Service gets. What is taken is read from the Services themselves: nothing else is stored.
import type { Random } from "../../../shared/base/random.ts";
import type { Service } from "../../../shared/k8s/api/core-v1.ts";
import { invalid, path } from "../../../shared/k8s/field.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { ipv4Number, ipv4Text, parseIp } from "../network/ip.ts";

/** What addresses are given of, as the ServiceCIDR `kubernetes` says. */
export const serviceRange = "10.96.0.0/12";
/** The range without its first and last address, which upstream never gives. */
const range = { first: number("10.96.0.1"), last: number("10.111.255.254") };
/** Upstream keeps the first 256 addresses of so large a range for static use: it gives them last. */
const dynamicFirst = number("10.96.1.0");

/** Sets `clusterIP` and `clusterIPs` of a Service that is to have one. */
export function allocateClusterIp(draft: Service, others: Iterable<Service>, random: Random): void {
  const { spec } = draft;
  if (spec.type === "ExternalName" || spec.clusterIPs?.[0] === "None") return;
  const taken = takenIps(others);
  const asked = spec.clusterIPs?.[0];
  if (asked) {
    const problem = problemWith(asked, taken);
    if (problem) {
      const why = `failed to allocate IP ${asked}: ${problem}`;
      throw ApiError.invalid({ group: "", name: "Service" }, draft.metadata.name ?? "", [
        invalid(path("spec", "clusterIPs"), spec.clusterIPs, why),
      ]);
    }
    spec.clusterIP = asked;
    return;
  }
  const free =
    freeAddress(taken, dynamicFirst, range.last, random) ?? freeAddress(taken, range.first, dynamicFirst - 1, random);
  if (free === undefined) throw ApiError.internal("failed to allocate a serviceIP: range is full");
  spec.clusterIP = ipv4Text(free);
  spec.clusterIPs = [spec.clusterIP];
}

function takenIps(services: Iterable<Service>): Set<number> {
  const taken = new Set<number>();
  for (const { spec } of services) {
    for (const text of spec.clusterIPs ?? []) {
      const ip = text === "None" ? undefined : parseIp(text);
      if (ip?.family === "IPv4") taken.add(ipv4Number(ip));
    }
  }
  return taken;
}

function problemWith(text: string, taken: ReadonlySet<number>): string | undefined {
  const ip = parseIp(text);
  const value = ip?.family === "IPv4" ? ipv4Number(ip) : Number.NaN;
  if (!(value >= range.first && value <= range.last)) return "the provided network does not match the current range";
  return taken.has(value) ? "provided IP is already allocated" : undefined;
}

/** From a random place on, the first address that is free. */
function freeAddress(taken: ReadonlySet<number>, first: number, last: number, random: Random): number | undefined {
  const count = last - first + 1;
  const start = Math.floor(random.next() * count);
  for (let step = 0; step < count; step++) {
    const candidate = first + ((start + step) % count);
    if (!taken.has(candidate)) return candidate;
  }
  return undefined;
}

function number(text: string): number {
  const ip = parseIp(text);
  return ip ? ipv4Number(ip) : Number.NaN;
}
