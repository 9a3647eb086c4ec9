// Gathers the pools of devices that a node can use (upstream: `GatherPools`).
import type { NodeSelector } from "../../../../shared/k8s/api/core-v1.ts";
import type { CounterSet, Device, ResourceSlice } from "../../../../shared/k8s/api/resource-v1.ts";
import { type NodeTarget, nodeTermMatches } from "../../../controllers/common/node-selector.ts";

export interface PooledDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: Device;
  readonly slice: ResourceSlice;
}

export interface Pool {
  readonly driver: string;
  readonly pool: string;
  /** Whether slices are missing, which the driver has yet to publish. */
  readonly isIncomplete: boolean;
  /** Whether its slices contradict each other. */
  readonly isInvalid: boolean;
  /** The devices of slices for this node, in order. */
  readonly devices: readonly PooledDevice[];
  /** The devices of the pool's other slices, which use the same counters. */
  readonly otherDevices: readonly PooledDevice[];
  readonly counters: readonly CounterSet[];
}

/** Returns the pools ordered by driver and name. Pools with binding conditions come last. */
export function poolsFor(node: NodeTarget, slices: readonly ResourceSlice[]): readonly Pool[] {
  const latest = new Map<string, ResourceSlice[]>();
  for (const slice of slices) {
    if (!isRelevant(slice, node)) continue;
    const key = keyOf(slice);
    const poolSlices = latest.get(key) ?? [];
    const generation = poolSlices[0]?.spec.pool.generation ?? -1;
    if (slice.spec.pool.generation > generation) latest.set(key, [slice]);
    else if (slice.spec.pool.generation === generation) poolSlices.push(slice);
  }
  const pools = [...latest.values()].flatMap((poolSlices) => poolOf(poolSlices, slices) ?? []);
  return pools.sort((a, b) => Number(hasConditions(a)) - Number(hasConditions(b)) || (nameOf(a) < nameOf(b) ? -1 : 1));
}

export function isReached(
  node: NodeTarget,
  { nodeName, allNodes, nodeSelector }: { nodeName?: string; allNodes?: boolean; nodeSelector?: NodeSelector },
): boolean {
  if (nodeName) return nodeName === node.name;
  if (allNodes) return true;
  return nodeSelector?.nodeSelectorTerms.some((term) => nodeTermMatches(term, node)) ?? false;
}

function isRelevant({ spec }: ResourceSlice, node: NodeTarget): boolean {
  if (spec.sharedCounters?.length) return true;
  if (!spec.perDeviceNodeSelection) return isReached(node, spec);
  return spec.devices?.some((device) => isReached(node, device)) ?? false;
}

function poolOf(nodeSlices: readonly ResourceSlice[], all: readonly ResourceSlice[]): Pool | undefined {
  const [first] = nodeSlices;
  if (!first) return undefined;
  const { driver, pool } = first.spec;
  const poolSlices =
    nodeSlices.length === pool.resourceSliceCount ? nodeSlices : all.filter((slice) => keyOf(slice) === keyOf(first));
  // A newer generation has no devices for this node, so the older ones are gone.
  if (poolSlices.some(({ spec }) => spec.pool.generation > pool.generation)) return undefined;
  const current = poolSlices.filter(({ spec }) => spec.pool.generation === pool.generation);
  const isIncomplete = current.length !== pool.resourceSliceCount;
  const devices = devicesOf(nodeSlices);
  const otherDevices = devicesOf(current.filter((slice) => !nodeSlices.includes(slice)));
  const counters = nodeSlices.flatMap(({ spec }) => spec.sharedCounters ?? []);
  const isInvalid = !isIncomplete && contradicts(devices, otherDevices, counters);
  return { driver, pool: pool.name, isIncomplete, isInvalid, devices, otherDevices, counters };
}

function devicesOf(slices: readonly ResourceSlice[]): PooledDevice[] {
  const inOrder = [...slices].sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  return inOrder.flatMap((slice) => {
    const { driver, pool, devices = [] } = slice.spec;
    return devices.map((device) => ({ driver, pool: pool.name, device, slice }));
  });
}

/** Reports whether a name of a device or counter set is duplicated, or a device uses a missing counter. */
function contradicts(
  devices: readonly PooledDevice[],
  otherDevices: readonly PooledDevice[],
  counters: readonly CounterSet[],
): boolean {
  const isTwice = (names: readonly string[]) => new Set(names).size < names.length;
  if (isTwice(devices.map(({ device }) => device.name)) || isTwice(counters.map(({ name }) => name))) return true;
  return [...devices, ...otherDevices].some(({ device }) =>
    device.consumesCounters?.some(({ counterSet, counters: consumed }) => {
      const available = counters.find(({ name }) => name === counterSet)?.counters;
      return !available || Object.keys(consumed ?? {}).some((name) => !Object.hasOwn(available, name));
    }),
  );
}

function hasConditions({ devices }: Pool): boolean {
  return devices.some(({ device }) => device.bindingConditions !== undefined);
}

function keyOf({ spec }: ResourceSlice): string {
  return `${spec.driver}/${spec.pool.name}`;
}

function nameOf({ driver, pool }: Pool): string {
  return `${driver}\n${pool}`;
}
