// Builds the subsets of an Endpoints object: addresses grouped by ports, in canonical order, bounded.
import type { EndpointAddress, EndpointPort, EndpointSubset } from "../../../../shared/k8s/api/core-v1.ts";

/** An address with a port. A headless Service without ports has no port. */
export interface Offer {
  readonly address: EndpointAddress;
  readonly port: EndpointPort | undefined;
  readonly ready: boolean;
}

interface Standing {
  readonly address: EndpointAddress;
  ready: boolean;
}

/** The maximum number of addresses of an Endpoints object. */
export const maxCapacity = 1000;

/** Groups addresses with the same ports. If an address is both ready and not ready, it counts as not ready. */
export function repackSubsets(offers: readonly Offer[]): EndpointSubset[] {
  const byPort = new Map<string, { port: EndpointPort | undefined; addresses: Map<string, Standing> }>();
  for (const { address, port, ready } of offers) {
    const portKey = JSON.stringify([port?.name ?? "", port?.port ?? -1, port?.protocol ?? "", port?.appProtocol ?? ""]);
    const entry = byPort.get(portKey) ?? { port, addresses: new Map<string, Standing>() };
    byPort.set(portKey, entry);
    const key = addressKey(address);
    const standing = entry.addresses.get(key);
    if (standing) standing.ready &&= ready;
    else entry.addresses.set(key, { address, ready });
  }
  const byAddresses = new Map<string, EndpointSubset>();
  for (const { port, addresses } of byPort.values()) {
    const all = [...addresses.values()].sort((a, b) => compareAddresses(a.address, b.address));
    const key = JSON.stringify(all.map(({ address, ready }) => [addressKey(address), ready]));
    const subset = byAddresses.get(key) ?? subsetOf(all);
    byAddresses.set(key, port ? { ...subset, ports: [...(subset.ports ?? []), port] } : subset);
  }
  return [...byAddresses].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, subset]) => subset);
}

export function addressCount(subsets: readonly EndpointSubset[]): number {
  return readyCount(subsets) + notReadyCount(subsets);
}

/** Truncates the addresses: ready ones first, each subset in proportion. */
export function truncateEndpoints(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const ready = readyCount(subsets);
  if (ready > maxCapacity) {
    const sizes = shares(
      subsets.map(({ addresses = [] }) => addresses.length),
      maxCapacity,
    );
    return subsets.map(({ notReadyAddresses: _none, ...subset }, at) => ({
      ...subset,
      addresses: (subset.addresses ?? []).slice(0, sizes[at]),
    }));
  }
  const lengths = subsets.map(({ notReadyAddresses = [] }) => notReadyAddresses.length);
  const sizes = shares(lengths, maxCapacity - ready);
  return subsets.map((subset, at) => ({
    ...subset,
    notReadyAddresses: (subset.notReadyAddresses ?? []).slice(0, sizes[at]),
  }));
}

/** Splits `room` in proportion to `lengths`, rounded up while there is room. */
function shares(lengths: readonly number[], room: number): number[] {
  const total = lengths.reduce((sum, length) => sum + length, 0);
  let left = room;
  return lengths.map((length) => {
    const share = Math.min(length, left, total === 0 ? 0 : Math.ceil((length / total) * room));
    left -= share;
    return share;
  });
}

function subsetOf(standings: readonly Standing[]): EndpointSubset {
  const addresses = standings.filter(({ ready }) => ready).map(({ address }) => address);
  const notReadyAddresses = standings.filter(({ ready }) => !ready).map(({ address }) => address);
  return {
    ...(addresses.length > 0 ? { addresses } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
  };
}

function readyCount(subsets: readonly EndpointSubset[]): number {
  return subsets.reduce((sum, { addresses = [] }) => sum + addresses.length, 0);
}

function notReadyCount(subsets: readonly EndpointSubset[]): number {
  return subsets.reduce((sum, { notReadyAddresses = [] }) => sum + notReadyAddresses.length, 0);
}

function addressKey({ ip, targetRef }: EndpointAddress): string {
  return `${ip} ${targetRef?.uid ?? ""}`;
}

/** Compares addresses by text, then by the uid of the pod. */
function compareAddresses(a: EndpointAddress, b: EndpointAddress): number {
  const [left, right] = [addressKey(a), addressKey(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
