// Puts the hints of topology mode Auto on the slices of one address type, and tells when they begin and end.
import type { Service } from "../../../shared/k8s/api/core-v1.ts";
import type { Endpoint, EndpointSlice } from "../../../shared/k8s/api/discovery-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import { type ZoneHints, hasAutoTopology, zoneHints, zoneShares } from "./endpoint-zones.ts";

export interface PlannedSlices {
  readonly create: Draft<EndpointSlice>[];
  readonly update: Draft<EndpointSlice>[];
  readonly delete: EndpointSlice[];
  /** What stays as it is, unless hints change. */
  readonly unchanged: EndpointSlice[];
}

/** `existing`: the slices as they were before. */
export function inZones(
  service: Service,
  addressType: string,
  planned: PlannedSlices,
  existing: readonly EndpointSlice[],
  { client, event }: ReconcileContext,
): PlannedSlices {
  const hadHints = existing.some(({ endpoints = [] }) => endpoints.some(({ hints }) => hints !== undefined));
  const tell = (type: "Normal" | "Warning", reason: string, message: string) =>
    event(service, type, reason, `${message}, addressType: ${addressType}`);
  if (!hasAutoTopology(service)) {
    const isEnded = hadHints && service.spec.trafficDistribution === undefined;
    if (isEnded) tell("Warning", "TopologyAwareHintsDisabled", "Topology Aware Hints has been disabled");
    return planned;
  }
  const all = [...planned.create, ...planned.update, ...planned.unchanged].flatMap(endpointsOf);
  const hints = zoneHints(all, zoneShares(client.each(nodes)));
  if ("problem" in hints) tell("Warning", "TopologyAwareHintsDisabled", hints.problem);
  else if (!hadHints) tell("Normal", "TopologyAwareHintsEnabled", "Topology Aware Hints has been enabled");
  return withZones(planned, hints);
}

/** The endpoints of a plan are whole: only what surrounds them is a draft. */
function endpointsOf(slice: Draft<EndpointSlice>): Endpoint[] {
  return (slice.endpoints ?? []) as Endpoint[];
}

function withZones(planned: PlannedSlices, hints: ZoneHints): PlannedSlices {
  let at = 0;
  const hinted = <T extends Draft<EndpointSlice>>(slice: T): T => {
    const endpoints = endpointsOf(slice).map(({ hints: _, ...endpoint }): Endpoint => {
      const zone = "zones" in hints ? hints.zones[at] : undefined;
      at++;
      return zone === undefined ? endpoint : { ...endpoint, hints: { forZones: [{ name: zone }] } };
    });
    return { ...slice, endpoints };
  };
  const create = planned.create.map(hinted);
  const update: Draft<EndpointSlice>[] = planned.update.map(hinted);
  const unchanged: EndpointSlice[] = [];
  for (const slice of planned.unchanged) {
    const next = hinted(slice);
    if (zonesOf(next) === zonesOf(slice)) unchanged.push(slice);
    else update.push(next);
  }
  return { create, update, delete: planned.delete, unchanged };
}

function zonesOf({ endpoints = [] }: EndpointSlice): string {
  return endpoints.map(({ hints }) => hints?.forZones?.map(({ name }) => name).join() ?? "").join(";");
}
