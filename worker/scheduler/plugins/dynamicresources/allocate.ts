// Allocates devices for claims on one node: a backtracking search that takes the first solution (upstream: the structured allocator).
import type { WorkMeter } from "../../../../shared/k8s/bounds/work.ts";
import type {
  Device,
  DeviceConstraint,
  DeviceTaint,
  ResourceClaim,
  DeviceAttribute,
} from "../../../../shared/k8s/api/resource-v1.ts";
import type { NodeTarget } from "../../../controllers/common/node-selector.ts";
import { type Consumed, consumption, hasRoom } from "./capacity.ts";
import { type Pool, type PooledDevice, isReached } from "./pools.ts";
import { type ClassedRequest, type AskedDevices, resultName } from "./requests.ts";
import { selects } from "./selectors.ts";
import {
  type Quantity,
  compareQuantities,
  parseQuantity,
  subQuantities,
  zeroQuantity,
} from "../../../../shared/k8s/quantity.ts";

/** The limit `AllocationResultsMaxSize`. */
const devicesPerClaim = 32;
/**
 * The work of visiting one device, and of one comparison for it. The search is exponential in the number of devices. The work budget of the
 * attempt replaces upstream's time limit.
 */
const workOf = { device: 2, comparison: 0.2 } as const;

/** A claim with its requests, each with its alternatives. */
export interface ClaimToAllocate {
  readonly claim: ResourceClaim;
  readonly requests: readonly (readonly ClassedRequest[])[];
}

export interface TakenDevice extends PooledDevice {
  readonly claimAt: number;
  readonly request: ClassedRequest;
  /** Set for a device that can be shared. */
  readonly consumed?: Consumed;
}

/** The devices in the order of the claims. An error concerns the claims or their classes, not the node. */
export type Allocation =
  | { readonly taken: readonly TakenDevice[] }
  | { readonly error: string }
  | { readonly reason: string };

interface Search {
  readonly meter: WorkMeter;
  readonly node: NodeTarget;
  readonly pools: readonly Pool[];
  /** The devices of all complete pools. */
  readonly candidates: readonly Candidate[];
  readonly allocated: Allocated;
  readonly claims: readonly ClaimToAllocate[];
  readonly taken: TakenDevice[];
  readonly selectable: Map<ClassedRequest, Map<Device, boolean>>;
  readonly all: Map<ClassedRequest, readonly Candidate[]>;
  error: string | undefined;
}

interface Candidate {
  readonly pool: Pool;
  readonly pooledDevice: PooledDevice;
}

interface Place {
  readonly claimAt: number;
  readonly requestAt: number;
  readonly request: ClassedRequest;
}

export function allocate(
  node: NodeTarget,
  pools: readonly Pool[],
  allocated: Allocated,
  claims: readonly ClaimToAllocate[],
  meter: WorkMeter,
): Allocation {
  const candidates = pools
    .filter(({ isIncomplete, isInvalid }) => !isIncomplete && !isInvalid)
    .flatMap((pool) => pool.devices.map((pooledDevice) => ({ pool, pooledDevice })));
  meter.charge(candidates.length * workOf.comparison);
  const search: Search = {
    ...{ node, pools, candidates, allocated, claims, meter },
    taken: [],
    selectable: new Map(),
    all: new Map(),
    error: undefined,
  };
  for (const [claimAt, { claim, requests }] of claims.entries()) {
    const least = requests.map((alternatives) =>
      Math.min(...alternatives.map((alternative) => countOf(search, claimAt, alternative))),
    );
    if (search.error !== undefined) return { error: search.error };
    const total = least.reduce((sum, count) => sum + count, 0);
    if (total > devicesPerClaim) {
      const text = `number of requested devices ${total} exceeds the claim limit of ${devicesPerClaim}`;
      return { error: `claim ${keyOf(claim)}: ${text}` };
    }
  }
  const isDone = fill(search, 0, 0);
  if (search.error !== undefined) return { error: search.error };
  if (isDone) return { taken: search.taken };
  const isInvalid = pools.some((pool) => pool.isInvalid);
  return { reason: isInvalid ? "invalid resource pools were encountered" : "cannot allocate all claims" };
}

/** Allocates all requests from this one on. */
function fill(search: Search, claimAt: number, requestAt: number): boolean {
  const claim = search.claims[claimAt];
  if (!claim) return true;
  const alternatives = claim.requests[requestAt];
  if (!alternatives) return fill(search, claimAt + 1, 0);
  return alternatives.some((request) => take(search, { claimAt, requestAt, request }, 0, 0));
}

/** Allocates the remaining devices of a request. Candidates are tried in order, so no set is tried twice. */
function take(search: Search, place: Place, count: number, from: number): boolean {
  if (search.error !== undefined) return false;
  const { claimAt, requestAt, request } = place;
  const requiredCount = countOf(search, claimAt, request);
  if (request.isAll && requiredCount === 0) return false;
  if (count >= requiredCount) return fill(search, claimAt, requestAt + 1);
  const inClaim = search.taken.filter((takenDevice) => takenDevice.claimAt === claimAt).length;
  if (inClaim + requiredCount - count > devicesPerClaim) return false;
  const candidates = request.isAll ? allFor(search, claimAt, request) : search.candidates;
  const last = request.isAll ? from : candidates.length - 1;
  for (let at = from; at <= last; at++) {
    const candidate = candidates[at];
    const device = candidate && usable(search, place, candidate);
    if (!device) continue;
    search.taken.push(device);
    if (take(search, place, count + 1, at + 1)) return true;
    search.taken.pop();
  }
  return false;
}

function countOf(search: Search, claimAt: number, request: ClassedRequest): number {
  return request.isAll ? allFor(search, claimAt, request).length : request.count;
}

/** Returns the devices for a request of all devices. If a pool is incomplete or invalid, it sets an error. */
function allFor(search: Search, claimAt: number, request: ClassedRequest): readonly Candidate[] {
  const cached = search.all.get(request);
  if (cached) return cached;
  const broken = search.pools.find(({ isIncomplete, isInvalid }) => isIncomplete || isInvalid);
  if (broken) {
    const state = broken.isIncomplete ? "being updated" : "invalid";
    const pool = `${broken.driver}/${broken.pool}`;
    search.error ??= `claim ${claimKey(search, claimAt)}, request ${request.name}: asks for all devices, but resource pool ${pool} is currently ${state}`;
    return [];
  }
  const all = search.candidates.filter(
    ({ pooledDevice }) =>
      isSelectable(search, claimAt, request, pooledDevice) &&
      hasRoom(pooledDevice.device, request, takenOf(search, pooledDevice)),
  );
  search.all.set(request, all);
  return all;
}

/** Returns the candidate as an allocation, if it can be taken. */
function usable(
  search: Search,
  { claimAt, request }: Place,
  { pool, pooledDevice }: Candidate,
): TakenDevice | undefined {
  const { device } = pooledDevice;
  chargeLook(search, claimAt, pool, device);
  const isShared = device.allowMultipleAllocations === true;
  if (request.isAdmin ? isTakenBy(search, pooledDevice, claimAt) : isInUse(search, pooledDevice)) return undefined;
  if (!isSelectable(search, claimAt, request, pooledDevice)) return undefined;
  const shares = takenOf(search, pooledDevice);
  if (!hasRoom(device, request, shares)) return undefined;
  const drawsNothing = isShared && shares.length > 0;
  if (
    !drawsNothing &&
    device.consumesCounters?.length &&
    !hasCounters(pool, device, (sibling) => consumesCounters(search, pool, sibling))
  ) {
    return undefined;
  }
  if (device.taints?.some((taint) => isKeptBy(taint, request))) return undefined;
  const takenForClaim = search.taken.filter((takenDevice) => takenDevice.claimAt === claimAt);
  const violated = constraintsOf(search, claimAt).find(
    (constraint) => !keepsTo(constraint, takenForClaim, { request, ...pooledDevice }),
  );
  if (violated) {
    if (request.isAll) {
      const id = deviceId(pooledDevice.driver, pooledDevice.pool, device.name);
      search.error = `claim ${claimKey(search, claimAt)}, request ${request.name}: cannot add device ${id} because a claim constraint would not be satisfied`;
    }
    return undefined;
  }
  return { ...pooledDevice, claimAt, request, ...(isShared ? { consumed: consumption(device, request) } : {}) };
}

/** Charges the comparisons of a device with the taken devices, and with those that use the same counters. */
function chargeLook(search: Search, claimAt: number, pool: Pool, { consumesCounters, taints }: Device): void {
  const constraints = constraintsOf(search, claimAt).length;
  const drawing = consumesCounters?.length ? pool.devices.length + pool.otherDevices.length + pool.counters.length : 0;
  const comparisons = (1 + constraints) * (2 + search.taken.length) + drawing + (taints?.length ?? 0);
  search.meter.charge(workOf.device + comparisons * workOf.comparison);
}

function isSelectable(search: Search, claimAt: number, request: ClassedRequest, pooledDevice: PooledDevice): boolean {
  const selectable = search.selectable.get(request) ?? new Map<Device, boolean>();
  search.selectable.set(request, selectable);
  const answer = selectable.get(pooledDevice.device) ?? isSelected(search, claimAt, request, pooledDevice);
  selectable.set(pooledDevice.device, answer);
  return answer;
}

function isSelected(search: Search, claimAt: number, request: ClassedRequest, pooledDevice: PooledDevice): boolean {
  const className = request.class.metadata.name ?? "";
  const groups = [
    { of: `class ${className}`, selectors: request.class.spec.selectors ?? [] },
    { of: `claim ${claimKey(search, claimAt)}`, selectors: request.selectors },
  ];
  for (const { of, selectors } of groups) {
    for (const [at, { cel }] of selectors.entries()) {
      const match = selects(cel?.expression ?? "", pooledDevice, search.meter);
      if (match === true) continue;
      if (match !== false) search.error ??= `${of}: selector #${at}: ${match.error}`;
      return false;
    }
  }
  return !pooledDevice.slice.spec.perDeviceNodeSelection || isReached(search.node, pooledDevice.device);
}

function isInUse({ allocated, taken }: Search, { driver, pool, device }: PooledDevice): boolean {
  if (allocated.devices.has(deviceId(driver, pool, device.name))) return true;
  return taken.some((takenDevice) => takenDevice.device === device && takenDevice.consumed === undefined);
}

function isTakenBy({ taken }: Search, { device }: PooledDevice, claimAt: number): boolean {
  return taken.some((takenDevice) => takenDevice.device === device && takenDevice.claimAt === claimAt);
}

/** Returns what other claims consume of a shared device. */
function takenOf({ allocated, taken }: Search, { driver, pool, device }: PooledDevice): readonly Consumed[] {
  const shares = allocated.shared.get(deviceId(driver, pool, device.name)) ?? [];
  return [
    ...shares,
    ...taken.flatMap((takenDevice) =>
      takenDevice.device === device && takenDevice.consumed ? [takenDevice.consumed] : [],
    ),
  ];
}

/** Reports whether a device of a pool already consumes its counters. */
function consumesCounters({ allocated, taken }: Search, { driver, pool }: Pool, device: Device): boolean {
  return (
    allocated.devices.has(deviceId(driver, pool, device.name)) ||
    taken.some((takenDevice) => takenDevice.device === device)
  );
}

function isKeptBy(taint: DeviceTaint, { tolerations }: ClassedRequest): boolean {
  if (taint.effect !== "NoSchedule" && taint.effect !== "NoExecute") return false;
  return !tolerations.some(({ effect, key, operator, value }) => {
    if ((effect && effect !== taint.effect) || (key && key !== taint.key)) return false;
    return operator === "Exists" || ((!operator || operator === "Equal") && (value ?? "") === (taint.value ?? ""));
  });
}

function constraintsOf({ claims }: Search, claimAt: number): readonly DeviceConstraint[] {
  return claims[claimAt]?.claim.spec.devices.constraints ?? [];
}

function claimKey({ claims }: Search, claimAt: number): string {
  const claim = claims[claimAt]?.claim;
  return claim ? keyOf(claim) : "";
}

function keyOf({ metadata }: ResourceClaim): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

/** A device that is taken for a claim. */
interface Taken {
  readonly request: AskedDevices;
  readonly driver: string;
  readonly device: Device;
}

/** Reports whether another device satisfies the constraint. */
function keepsTo(constraint: DeviceConstraint, taken: readonly Taken[], next: Taken): boolean {
  if (!concerns(constraint, next.request)) return true;
  const { matchAttribute, distinctAttribute } = constraint;
  const name = matchAttribute ?? distinctAttribute ?? "";
  const value = valueOf(next, name);
  if (value === undefined) return false;
  const otherValues = taken
    .filter(({ request }) => concerns(constraint, request))
    .map((takenDevice) => valueOf(takenDevice, name));
  return matchAttribute === undefined
    ? !otherValues.includes(value)
    : otherValues.every((otherValue) => otherValue === value);
}

function concerns({ requests = [] }: DeviceConstraint, request: AskedDevices): boolean {
  if (requests.length === 0) return true;
  return requests.includes(request.parent ?? request.name) || requests.includes(resultName(request));
}

/** Returns an attribute as text with its type. A name without a domain belongs to the driver. */
function valueOf({ driver, device }: Taken, name: string): string | undefined {
  const driverAttribute = name.startsWith(`${driver}/`)
    ? device.attributes?.[name.slice(driver.length + 1)]
    : undefined;
  const attribute = device.attributes?.[name] ?? driverAttribute;
  return attribute && textOf(attribute);
}

function textOf({ string, int, bool, version }: DeviceAttribute): string | undefined {
  if (string !== undefined) return `string ${string}`;
  if (int !== undefined) return `int ${int}`;
  if (bool !== undefined) return `bool ${bool}`;
  return version === undefined ? undefined : `version ${version}`;
}

/** Reports whether the counters of a pool suffice for a device, besides the allocated and the taken devices. */
function hasCounters(pool: Pool, device: Device, isTaken: (device: Device) => boolean): boolean {
  const left = new Map<string, Quantity>();
  for (const { name, counters = {} } of pool.counters) {
    for (const [counter, { value }] of Object.entries(counters)) left.set(`${name}/${counter}`, amount(value));
  }
  const all = [...pool.devices, ...pool.otherDevices].map((pooledDevice) => pooledDevice.device);
  for (const { consumesCounters = [] } of [...all.filter(isTaken), device]) {
    for (const { counterSet, counters = {} } of consumesCounters) {
      for (const [counter, { value }] of Object.entries(counters)) {
        const key = `${counterSet}/${counter}`;
        left.set(key, subQuantities(left.get(key) ?? zeroQuantity, amount(value)));
      }
    }
  }
  return [...left.values()].every((quantity) => compareQuantities(quantity, zeroQuantity) >= 0);
}

function amount(text: string): Quantity {
  return parseQuantity(text) ?? zeroQuantity;
}

export interface Allocated {
  readonly devices: ReadonlySet<string>;
  /** The consumption of each claim, by shared device. */
  readonly shared: ReadonlyMap<string, readonly Consumed[]>;
}

export function allocatedIn(claims: Iterable<ResourceClaim>): Allocated {
  const devices = new Set<string>();
  const shared = new Map<string, Consumed[]>();
  for (const { status } of claims) {
    for (const result of status.allocation?.devices.results ?? []) {
      // Admin access consumes nothing.
      if (result.adminAccess) continue;
      const id = deviceId(result.driver, result.pool, result.device);
      if (result.shareID === undefined) devices.add(id);
      else shared.set(id, [...(shared.get(id) ?? []), result.consumedCapacity ?? {}]);
    }
  }
  return { devices, shared };
}

function deviceId(driver: string, pool: string, device: string): string {
  return `${driver}/${pool}/${device}`;
}
