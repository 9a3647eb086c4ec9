// Allocates the cluster IPs of Services. Each IPAddress object represents an allocated address.
import type { IPFamily, Service } from "../../../../shared/k8s/api/core-v1.ts";
import type { IPAddress, ServiceCIDR } from "../../../../shared/k8s/api/networking-v1.ts";
import { invalid, path } from "../../../../shared/k8s/field.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import { ipAddresses } from "../../networking/ip-address.ts";
import type { Companion, WriteContext } from "../../kind.ts";
import {
  formatIp,
  parseIp,
  type Cidr,
  contains,
  parseCidr,
  bytesOfNumber,
  numberOf,
} from "../../../../shared/k8s/ip.ts";
import { defaultServiceCidr, serviceCidrs } from "../../networking/service-cidr.ts";
import type { Random } from "../../../../shared/base/random.ts";

interface AddressRange {
  readonly cidr: Cidr;
  /** The text of the range. */
  readonly text: string;
  readonly first: bigint;
  readonly last: bigint;
  /** The first address of the dynamic part. Upstream allocates the static part before it last. */
  readonly dynamicFirst: bigint;
}

export const ipFamilyLabel = "ipaddress.kubernetes.io/ip-family";
export const managedByLabel = "ipaddress.kubernetes.io/managed-by";
export const ipAllocator = "ipallocator.k8s.io";

/** Returns the families of Services, default first: those of the cluster's own range. */
export function clusterFamilies(context: Pick<WriteContext, "get" | "network">): readonly IPFamily[] {
  const cidrs = context.get(serviceCidrs, "", defaultServiceCidr)?.spec.cidrs ?? [context.network.serviceCidr];
  return cidrs.map((text) => (text.includes(":") ? "IPv6" : "IPv4"));
}

/** Allocates an address for each family of a Service that needs one. */
export function allocClusterIps(draft: Service, context: WriteContext): void {
  const { spec } = draft;
  if (spec.type === "ExternalName" || spec.clusterIPs?.[0] === "None") return;
  const ips = [...(spec.clusterIPs ?? [])];
  (spec.ipFamilies ?? []).forEach((family, at) => {
    ips[at] = allocate(draft, family, ips[at] ?? "", context);
  });
  spec.clusterIPs = ips;
  if (ips[0]) spec.clusterIP = ips[0];
}

/** Allocates addresses for a Service that changes to a type with addresses, or gets a second family. */
export function updateClusterIps(draft: Service, previous: Service, context: WriteContext): void {
  if (previous.spec.type === "ExternalName") {
    allocClusterIps(draft, context);
    return;
  }
  if (previous.spec.clusterIPs?.[0] === "None" || draft.spec.type === "ExternalName") return;
  const [, second] = draft.spec.ipFamilies ?? [];
  const isUpgraded = previous.spec.ipFamilies?.length === 1 && second !== undefined;
  if (!isUpgraded || draft.spec.ipFamilies?.length !== 2) return;
  const [first = "", requestedSecond = ""] = draft.spec.clusterIPs ?? [];
  draft.spec.clusterIPs = [first, allocate(draft, second, requestedSecond, context)];
}

/** Returns the IPAddress objects of a Service. */
export function addressesOf({ spec, metadata }: Service): readonly Companion[] {
  if (spec.type === "ExternalName") return [];
  const { namespace = "", name = "" } = metadata;
  return (spec.clusterIPs ?? []).flatMap((text) => {
    const ip = text === "None" ? undefined : parseIp(text);
    return ip ? [{ kind: ipAddresses, object: addressFor(formatIp(ip), namespace, name) }] : [];
  });
}

export function addressFor(ip: string, namespace: string, name: string): IPAddress {
  const family = ip.includes(":") ? "IPv6" : "IPv4";
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "IPAddress",
    metadata: { name: ip, labels: { [ipFamilyLabel]: family, [managedByLabel]: ipAllocator } },
    spec: { parentRef: { resource: "services", namespace, name } },
  };
}

function allocate(draft: Service, family: IPFamily, requested: string, context: WriteContext): string {
  const ranges = readyRanges(family, context);
  const isTaken = (ip: string) => context.get(ipAddresses, "", ip) !== undefined;
  const { name = "" } = draft.metadata;
  if (requested) {
    const problem = problemWith(requested, ranges, isTaken, context.dryRun);
    if (problem === undefined) return requested;
    throw ApiError.invalid({ group: "", name: "Service" }, name, [
      invalid(path("spec", "clusterIPs"), draft.spec.clusterIPs, `failed to allocate IP ${requested}: ${problem}`),
    ]);
  }
  // As upstream, a dry run does not search for a free address.
  if (context.dryRun && ranges[0]) return networkAddress(ranges[0]);
  for (const range of ranges) {
    const free = freeAddress(range, context.random, isTaken);
    if (free !== undefined) return free;
  }
  throw ApiError.internal(`failed to allocate a serviceIP for Service ${JSON.stringify(name)}: range is full`);
}

/** Returns the ready ranges; the configured range until any is stored. */
function readyRanges(family: IPFamily, context: WriteContext): readonly AddressRange[] {
  const published = [...context.list(serviceCidrs)];
  const cidrs = published.filter(isReady).flatMap(({ spec }) => spec.cidrs ?? []);
  return (published.length > 0 ? cidrs : [context.network.serviceCidr])
    .map(addressRange)
    .filter((range) => range?.cidr.family === family)
    .filter((range) => range !== undefined);
}

/** Reports whether a range is ready. A range without the condition counts as ready. */
function isReady({ metadata, status }: ServiceCIDR): boolean {
  const ready = status.conditions?.find(({ type }) => type === "Ready");
  return metadata.deletionTimestamp === undefined && (ready === undefined || ready.status === "True");
}

function problemWith(
  requested: string,
  ranges: readonly AddressRange[],
  isTaken: (ip: string) => boolean,
  isDryRun: boolean,
): string | undefined {
  const ip = parseIp(requested);
  const text = ip ? formatIp(ip) : requested;
  const isIn = ranges.some((range) => prefixContainsIp(range, text));
  if (isDryRun && ranges[0]) {
    if (isIn) return undefined;
    return `the provided IP (${text}) is not in the valid range. The range of valid IPs is ${ranges[0].text}`;
  }
  if (!isIn) return "the provided network does not match the current range";
  return isTaken(text) ? "provided IP is already allocated" : undefined;
}

/** Parses a range, without the network address and IPv4's broadcast address. */
export function addressRange(text: string): AddressRange | undefined {
  const cidr = parseCidr(text);
  if (!cidr) return undefined;
  const size = 1n << BigInt(cidr.bytes.length * 8 - cidr.bits);
  const base = numberOf(cidr.bytes);
  const last = base + size - (cidr.family === "IPv4" ? 2n : 1n);
  return { cidr, text, first: base + 1n, last, dynamicFirst: base + 1n + calculateRangeOffset(size) };
}

function prefixContainsIp({ cidr, first, last }: AddressRange, text: string): boolean {
  const bytes = parseIp(text)?.bytes ?? [];
  if (!contains(cidr, bytes)) return false;
  const number = numberOf(bytes);
  return number >= first && number <= last;
}

/** Returns the first free address after a random one, those of the static part last. */
export function freeAddress(
  range: AddressRange,
  random: Random,
  isTaken: (text: string) => boolean,
): string | undefined {
  const { first, last, dynamicFirst, cidr } = range;
  const search = (from: bigint, to: bigint): string | undefined => {
    const count = to - from + 1n;
    if (count <= 0n) return undefined;
    const start = (count * BigInt(Math.floor(random.next() * 2 ** 48))) >> 48n;
    for (let step = 0n; step < count; step++) {
      const text = textOf(from + ((start + step) % count), cidr);
      if (!isTaken(text)) return text;
    }
    return undefined;
  };
  return search(dynamicFirst, last) ?? search(first, dynamicFirst - 1n);
}

/** Returns the network address, which a dry run shows. */
function networkAddress({ first, cidr }: AddressRange): string {
  return textOf(first - 1n, cidr);
}

/** Returns the size of the static part: a sixteenth, between 16 and 256. */
function calculateRangeOffset(size: bigint): bigint {
  if (size <= 16n) return 0n;
  const share = size / 16n;
  if (share < 16n) return 16n;
  return share > 256n ? 256n : share;
}

function textOf(number: bigint, { bytes }: Cidr): string {
  return formatIp({ bytes: bytesOfNumber(number, bytes.length) });
}
