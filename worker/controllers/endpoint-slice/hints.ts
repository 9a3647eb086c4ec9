// Hints of a Service's `trafficDistribution`: which zone or node an endpoint is best reached from (upstream: trafficdist).
import type { Service } from "../../../shared/k8s/api/core-v1.ts";
import type { Endpoint, EndpointHints, EndpointSlice } from "../../../shared/k8s/api/discovery-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";

const close: ReadonlySet<string> = new Set(["PreferClose", "PreferSameZone", "PreferSameNode"]);

/** The endpoints with the hints that the Service asks for, or with none. */
export function withHints(endpoints: readonly Endpoint[], { spec }: Service): Endpoint[] {
  const distribution = spec.trafficDistribution ?? "";
  return endpoints.map((endpoint) => {
    const { hints: old, ...plain } = endpoint;
    // What is not ready keeps what it had: nothing is sent there, and a write less is made.
    if (close.has(distribution) && !endpoint.conditions.ready) return old ? { ...plain, hints: old } : plain;
    const hints = close.has(distribution) ? hintsFor(endpoint, distribution) : undefined;
    return hints ? { ...plain, hints } : plain;
  });
}

export function hintsDiffer(slice: EndpointSlice, service: Service): boolean {
  const before = slice.endpoints ?? [];
  return withHints(before, service).some(({ hints }, at) => !semanticEqual(hints, before[at]?.hints));
}

function hintsFor({ zone, nodeName }: Endpoint, distribution: string): EndpointHints | undefined {
  const forNodes = nodeName && distribution === "PreferSameNode" ? [{ name: nodeName }] : undefined;
  if (!zone && !forNodes) return undefined;
  return { ...(zone ? { forZones: [{ name: zone }] } : {}), ...(forNodes ? { forNodes } : {}) };
}
