// The pools of devices that a node can reach (upstream: `GatherPools`).
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
  /** Slices are missing: a driver is about to publish them. */
  readonly isIncomplete: boolean;
  /** Its slices contradict each other. */
  readonly isInvalid: boolean;
  /** Those of slices for this node, in order. */
  readonly devices: readonly PooledDevice[];
  /** Those of the pool's other slices: they draw on the same counters. */
  readonly others: readonly PooledDevice[];
  readonly counters: readonly CounterSet[];
}

/** In order of driver and name; those with binding conditions last. */
export function poolsFor(node: NodeTarget, slices: readonly ResourceSlice[]): readonly Pool[] {
  const latest = new Map<string, ResourceSlice[]>();
  for (const slice of slices) {
    if (!isRelevant(slice, node)) continue;
    const key = keyOf(slice);
    const known = latest.get(key) ?? [];
    const generation = known[0]?.spec.pool.generation ?? -1;
    if (slice.spec.pool.generation > generation) latest.set(key, [slice]);
    else if (slice.spec.pool.generation === generation) known.push(slice);
  }
  const pools = [...latest.values()].flatMap((own) => poolOf(own, slices) ?? []);
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

function poolOf(own: readonly ResourceSlice[], all: readonly ResourceSlice[]): Pool | undefined {
  const [first] = own;
  if (!first) return undefined;
  const { driver, pool } = first.spec;
  const whole = own.length === pool.resourceSliceCount ? own : all.filter((one) => keyOf(one) === keyOf(first));
  // A newer generation has nothing for this node: what there was is gone.
  if (whole.some(({ spec }) => spec.pool.generation > pool.generation)) return undefined;
  const current = whole.filter(({ spec }) => spec.pool.generation === pool.generation);
  const isIncomplete = current.length !== pool.resourceSliceCount;
  const devices = devicesOf(own);
  const others = devicesOf(current.filter((slice) => !own.includes(slice)));
  const counters = own.flatMap(({ spec }) => spec.sharedCounters ?? []);
  const isInvalid = !isIncomplete && contradicts(devices, others, counters);
  return { driver, pool: pool.name, isIncomplete, isInvalid, devices, others, counters };
}

function devicesOf(slices: readonly ResourceSlice[]): PooledDevice[] {
  const inOrder = [...slices].sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  return inOrder.flatMap((slice) => {
    const { driver, pool, devices = [] } = slice.spec;
    return devices.map((device) => ({ driver, pool: pool.name, device, slice }));
  });
}

/** A device or a set of counters of the same name twice, or a device that draws on what is not there. */
function contradicts(
  devices: readonly PooledDevice[],
  others: readonly PooledDevice[],
  counters: readonly CounterSet[],
): boolean {
  const isTwice = (names: readonly string[]) => new Set(names).size < names.length;
  if (isTwice(devices.map(({ device }) => device.name)) || isTwice(counters.map(({ name }) => name))) return true;
  return [...devices, ...others].some(({ device }) =>
    device.consumesCounters?.some(({ counterSet, counters: consumed }) => {
      const known = counters.find(({ name }) => name === counterSet)?.counters;
      return !known || Object.keys(consumed ?? {}).some((name) => !Object.hasOwn(known, name));
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
