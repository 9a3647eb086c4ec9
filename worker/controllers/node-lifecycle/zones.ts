// Tracks the zones of nodes. If most nodes of a zone are silent, the network is the likely cause, so pods are evicted slowly or not at all.
import type { Node } from "../../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import type { Client } from "../../registry/client.ts";
import { isGivenUp, readyOf } from "./health.ts";

/** The defaults of upstream's `--unhealthy-zone-threshold` and `--large-cluster-size-threshold`. */
const unhealthyShare = 0.55;
const fewUnhealthy = 2;
const largeZone = 50;
/** The time between evictions of nodes: upstream's `--node-eviction-rate` and `--secondary-node-eviction-rate`. */
const pauseMs = 10_000;
const slowPauseMs = 100_000;
const excludedLabel = "node.kubernetes.io/exclude-disruption";

interface Zone {
  readonly ready: Set<string>;
  readonly unready: Set<string>;
}

/** The zones. Derived from the nodes on first use, then updated by every change of a node. */
export interface ZoneMemory {
  zones: Map<string, Zone> | undefined;
}

/** Applies a change, which is harmless to repeat. Returns the unready nodes of zones whose state has changed. */
export function followZones(
  { zones }: ZoneMemory,
  next: Node | undefined,
  previous: Node | undefined,
): readonly string[] {
  // Unknown zones are read on first use, with this change included.
  if (!zones) return [];
  const was = previous && placeOf(previous);
  const is = next && placeOf(next);
  if (was?.zone === is?.zone && was?.list === is?.list && was?.name === is?.name) return [];
  const before = statesOf(zones);
  if (was) zones.get(was.zone)?.[was.list].delete(was.name);
  if (is) put(zones, is);
  return statesOf(zones) === before ? [] : [...zones.values()].flatMap(({ unready }) => [...unready]);
}

/** Reports whether no node is ready, in which case none is evicted. */
export function isAllSilent(memory: ZoneMemory, client: Client): boolean {
  const zones = [...zonesOf(memory, client).values()].filter(({ ready, unready }) => ready.size + unready.size > 0);
  return zones.length > 0 && zones.every(({ ready }) => ready.size === 0);
}

/** Returns the time until the zone evicts another node; undefined if its state allows no eviction. */
export function turnMs(memory: ZoneMemory, client: Client, node: Node, nowMs: number): number | undefined {
  const zone = zonesOf(memory, client).get(zoneOf(node));
  const state = zone ? computeZoneState(zone) : "normal";
  if (state === "stopped") return undefined;
  const latestMs = Math.max(...[...(zone?.unready ?? [])].map((name) => givenUpMs(client.get(nodes, "", name))));
  return Math.max(latestMs + (state === "slow" ? slowPauseMs : pauseMs) - nowMs, 0);
}

/** Computes the state of a zone. The effect of a partial disruption depends on the zone's size. */
function computeZoneState({ ready, unready }: Zone): "normal" | "silent" | "slow" | "stopped" {
  if (ready.size === 0) return unready.size > 0 ? "silent" : "normal";
  const size = ready.size + unready.size;
  if (unready.size <= fewUnhealthy || unready.size / size < unhealthyShare) return "normal";
  return size > largeZone ? "slow" : "stopped";
}

function statesOf(zones: ReadonlyMap<string, Zone>): string {
  return [...zones].map(([name, zone]) => `${name}=${computeZoneState(zone)}`).join();
}

function givenUpMs(node: Node | undefined): number {
  const times = (node?.spec.taints ?? []).filter(isGivenUp).flatMap(({ timeAdded }) => timeAdded ?? []);
  return Math.max(Number.NEGATIVE_INFINITY, ...times.map(parseTime));
}

function zonesOf(memory: ZoneMemory, client: Client): Map<string, Zone> {
  if (memory.zones) return memory.zones;
  const zones = new Map<string, Zone>();
  memory.zones = zones;
  for (const node of client.each(nodes)) {
    const place = placeOf(node);
    if (place) put(zones, place);
  }
  return zones;
}

interface Place {
  readonly name: string;
  readonly zone: string;
  readonly list: keyof Zone;
}

/** Returns the zone of a node; undefined for a node that does not count. */
function placeOf(node: Node): Place | undefined {
  const { name = "", labels } = node.metadata;
  if (labels?.[excludedLabel] !== undefined) return undefined;
  return { name, zone: zoneOf(node), list: readyOf(node)?.status === "True" ? "ready" : "unready" };
}

function zoneOf({ metadata: { labels = {} } }: Node): string {
  const [region, zone] = ["region", "zone"].map(
    (topology) =>
      labels[`topology.kubernetes.io/${topology}`] ?? labels[`failure-domain.beta.kubernetes.io/${topology}`] ?? "",
  );
  return `${region}/${zone}`;
}

function put(zones: Map<string, Zone>, { name, zone, list }: Place): void {
  const existing = zones.get(zone) ?? { ready: new Set(), unready: new Set() };
  zones.set(zone, existing);
  existing[list].add(name);
}
