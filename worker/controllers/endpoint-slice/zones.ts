// Computes the hints of a Service with the topology mode Auto: endpoints are assigned to zones in proportion to the zones' CPUs (upstream:
// `topologycache`). Pure.
import type { Node, Service } from "../../../shared/k8s/api/core-v1.ts";
import type { Endpoint, EndpointSlice } from "../../../shared/k8s/api/discovery-v1.ts";
import { quantityMilliValue } from "../../../shared/k8s/quantity.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";

/** The maximum overload of an endpoint as a share. */
const overload = 0.2;
const zoneLabel = "topology.kubernetes.io/zone";
const notForPods = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];

export function hintsEnabled({ metadata: { annotations } }: Service): boolean {
  const mode =
    annotations?.["service.kubernetes.io/topology-aware-hints"] ?? annotations?.["service.kubernetes.io/topology-mode"];
  return mode === "Auto" || mode === "auto";
}

export type ZoneShares = ReadonlyMap<string, number>;

/**
 * Returns each zone's share of the CPUs (upstream's `SetNodes`). Undefined if a node does not report its CPUs or zone, or if there is only
 * one zone.
 */
export function zoneShares(nodes: Iterable<Node>): ZoneShares | undefined {
  const cpus = new Map<string, number>();
  let total = 0;
  for (const { metadata, status } of nodes) {
    if (notForPods.some((label) => metadata.labels?.[label] !== undefined)) continue;
    if (!status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True")) continue;
    const zone = metadata.labels?.[zoneLabel];
    const cpu = quantityMilliValue(status.allocatable?.["cpu"] ?? "0");
    if (!zone || cpu === 0) return undefined;
    cpus.set(zone, (cpus.get(zone) ?? 0) + cpu);
    total += cpu;
  }
  if (cpus.size < 2) return undefined;
  return new Map([...cpus].map(([zone, cpu]) => [zone, cpu / total]));
}

export type ZoneHints =
  | { readonly problem: string }
  /** The zone by the index of the endpoint; undefined for an endpoint that is not ready. */
  | { readonly zones: readonly (string | undefined)[] };

interface Allocation {
  readonly desired: number;
  readonly maximum: number;
}

/** Computes the hints of all endpoints of one address type. Valid hints are kept. */
export function addHints(endpoints: readonly Endpoint[], shares: ZoneShares | undefined): ZoneHints {
  const ready = endpoints.filter(({ conditions }) => conditions.ready === true);
  if (!shares) {
    return {
      problem: "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes",
    };
  }
  const counts = `(${ready.length} endpoints, ${shares.size} zones)`;
  if (shares.size > ready.length) return { problem: `Insufficient number of endpoints ${counts}` };
  const allocations = allocationsOf(shares, ready.length);
  if (!allocations) {
    const why = "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold";
    return { problem: `${why} ${counts}` };
  }
  if (ready.some(({ zone }) => !zone)) return { problem: "One or more endpoints do not have a zone specified" };
  return { zones: redistribute(endpoints, allocations) };
}

function allocationsOf(shares: ZoneShares, count: number): ReadonlyMap<string, Allocation> | undefined {
  const minima = new Map([...shares].map(([zone, share]) => [zone, Math.ceil((share * count) / (1 + overload))]));
  const total = [...minima.values()].reduce((sum, minimum) => sum + minimum, 0);
  if (total > count) return undefined;
  const entries = [...shares].map(([zone, share]): [string, Allocation] => {
    const minimum = minima.get(zone) ?? 0;
    return [zone, { desired: Math.max(share * count, minimum), maximum: minimum + count - total }];
  });
  return new Map(entries);
}

/** Redistributes endpoints: starts with their own zones or valid hints, and moves them until each zone has its share. */
function redistribute(
  endpoints: readonly Endpoint[],
  allocations: ReadonlyMap<string, Allocation>,
): (string | undefined)[] {
  const zones = validHints(endpoints, allocations) ?? endpoints.map(ownZone);
  const endpointsByZone = new Map<string, number>();
  for (const zone of zones) if (zone !== undefined) endpointsByZone.set(zone, (endpointsByZone.get(zone) ?? 0) + 1);
  const { giving, receiving } = getGivingAndReceivingZones(allocations, endpointsByZone);
  return zones.map((zone) => {
    const [next] = receiving.keys();
    if (zone === undefined || next === undefined || !take(giving, zone)) return zone;
    take(receiving, next);
    return next;
  });
}

function ownZone({ conditions, zone }: Endpoint): string | undefined {
  return conditions.ready === true ? zone : undefined;
}

/** Returns the existing hints, unless one is missing, its zone is gone, or a zone has too many. */
function validHints(
  endpoints: readonly Endpoint[],
  allocations: ReadonlyMap<string, Allocation>,
): (string | undefined)[] | undefined {
  const counts = new Map<string, number>();
  const zones: (string | undefined)[] = [];
  for (const { conditions, hints } of endpoints) {
    const zone = conditions.ready === true ? hints?.forZones?.[0]?.name : undefined;
    zones.push(zone);
    if (conditions.ready !== true) continue;
    if (zone === undefined) return undefined;
    const count = (counts.get(zone) ?? 0) + 1;
    if (count > (allocations.get(zone)?.maximum ?? 0)) return undefined;
    counts.set(zone, count);
  }
  return zones;
}

/** Computes how many endpoints to move from zones with too many to zones with too few. */
function getGivingAndReceivingZones(
  allocations: ReadonlyMap<string, Allocation>,
  endpointsByZone: ReadonlyMap<string, number>,
) {
  const surplus = new Map<string, number>();
  for (const [zone, { desired }] of allocations) surplus.set(zone, (endpointsByZone.get(zone) ?? 0) - desired);
  const giving = new Map<string, number>();
  const receiving = new Map<string, number>();
  for (;;) {
    const [from, most] = extreme(surplus, 1);
    const [to, least] = extreme(surplus, -1);
    if (from === undefined || to === undefined || (most < 1 && least < 1) || most < 0.5 || least < 0.5) break;
    giving.set(from, (giving.get(from) ?? 0) + 1);
    receiving.set(to, (receiving.get(to) ?? 0) + 1);
    surplus.set(from, (surplus.get(from) ?? 0) - 1);
    surplus.set(to, (surplus.get(to) ?? 0) + 1);
  }
  return { giving, receiving };
}

function extreme(surplus: ReadonlyMap<string, number>, sign: 1 | -1): [string | undefined, number] {
  let best: [string | undefined, number] = [undefined, 0];
  for (const [zone, number] of surplus) if (number * sign > best[1]) best = [zone, number * sign];
  return best;
}

/** Takes one endpoint from a zone's number to give or to receive, if any is left. */
function take(left: Map<string, number>, zone: string): boolean {
  const count = left.get(zone) ?? 0;
  if (count === 0) return false;
  if (count === 1) left.delete(zone);
  else left.set(zone, count - 1);
  return true;
}

export interface PlannedSlices {
  readonly create: Draft<EndpointSlice>[];
  readonly update: Draft<EndpointSlice>[];
  readonly delete: EndpointSlice[];
  /** Slices that only change if their hints do. */
  readonly unchanged: EndpointSlice[];
}

/** Assigns zones. `existing` has the slices before the changes. */
export function inZones(
  service: Service,
  addressType: string,
  planned: PlannedSlices,
  existing: readonly EndpointSlice[],
  { client, event }: ReconcileContext,
): PlannedSlices {
  const hadHints = existing.some(({ endpoints = [] }) => endpoints.some(({ hints }) => hints !== undefined));
  const recordEvent = (type: "Normal" | "Warning", reason: string, message: string) =>
    event(service, type, reason, `${message}, addressType: ${addressType}`);
  if (!hintsEnabled(service)) {
    const isEnded = hadHints && service.spec.trafficDistribution === undefined;
    if (isEnded) recordEvent("Warning", "TopologyAwareHintsDisabled", "Topology Aware Hints has been disabled");
    return planned;
  }
  const all = [...planned.create, ...planned.update, ...planned.unchanged].flatMap(endpointsOf);
  const hints = addHints(all, zoneShares(client.each(nodes)));
  if ("problem" in hints) recordEvent("Warning", "TopologyAwareHintsDisabled", hints.problem);
  else if (!hadHints) recordEvent("Normal", "TopologyAwareHintsEnabled", "Topology Aware Hints has been enabled");
  return withZones(planned, hints);
}

/** Returns the endpoints of a planned slice. Only the fields around them are a draft. */
function endpointsOf(slice: Draft<EndpointSlice>): Endpoint[] {
  return (slice.endpoints ?? []) as Endpoint[];
}

function withZones(planned: PlannedSlices, hints: ZoneHints): PlannedSlices {
  let at = 0;
  const withHint = <T extends Draft<EndpointSlice>>(slice: T): T => {
    const endpoints = endpointsOf(slice).map(({ hints: _, ...endpoint }): Endpoint => {
      const zone = "zones" in hints ? hints.zones[at] : undefined;
      at++;
      return zone === undefined ? endpoint : { ...endpoint, hints: { forZones: [{ name: zone }] } };
    });
    return { ...slice, endpoints };
  };
  const create = planned.create.map(withHint);
  const update: Draft<EndpointSlice>[] = planned.update.map(withHint);
  const unchanged: EndpointSlice[] = [];
  for (const slice of planned.unchanged) {
    const next = withHint(slice);
    if (zonesOf(next) === zonesOf(slice)) unchanged.push(slice);
    else update.push(next);
  }
  return { create, update, delete: planned.delete, unchanged };
}

function zonesOf({ endpoints = [] }: EndpointSlice): string {
  return endpoints.map(({ hints }) => hints?.forZones?.map(({ name }) => name).join() ?? "").join(";");
}
