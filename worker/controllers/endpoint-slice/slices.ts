// Which slices hold which endpoints, with as few writes as can be (upstream: reconcileByPortMapping).
import type { Endpoint, EndpointSlice } from "../../../shared/k8s/api/discovery-v1.ts";
import { hashEndpoint, endpointsEqualBeyondHash } from "../common/endpoints/endpoint-of-pod.ts";

/** Endpoints in one slice at most (upstream's default of `--max-endpoints-per-slice`). */
export const maxEndpointsPerSlice = 100;

export interface SlicePlan {
  /** Endpoints for which new slices have to be made, one list a slice. */
  readonly create: Endpoint[][];
  readonly update: EndpointSlice[];
  readonly delete: EndpointSlice[];
}

/** `labels` are what every slice should carry; `labelsDiffer` tells whether one does not. */
export interface SliceLabels {
  readonly labels: Record<string, string>;
  differ(slice: EndpointSlice): boolean;
}

/**
 * Distributes `desired` over the existing slices of one set of ports: endpoints stay where they are, slices that are written
 * anyway are filled first, one untouched slice may take the rest if it fits, and only then are new ones made.
 */
export function planSlices(
  existing: readonly EndpointSlice[],
  desired: readonly Endpoint[],
  { labels, differ }: SliceLabels,
  max = maxEndpointsPerSlice,
): SlicePlan {
  const left = new Map(desired.map((endpoint) => [hashEndpoint(endpoint), endpoint]));
  const update: EndpointSlice[] = [];
  const untouched: EndpointSlice[] = [];
  const gone: EndpointSlice[] = [];
  for (const slice of existing) {
    const before = slice.endpoints ?? [];
    const { kept, changed } = takeDesired(before, left);
    if (kept.length === 0 && before.length > 0) gone.push(slice);
    else if (changed) update.push(withEndpoints(slice, kept, labels));
    else if (differ(slice)) update.push(withEndpoints(slice, before, labels));
    else untouched.push(slice);
  }
  const rest = [...left.values()];
  const filled = fillFullestFirst(update, rest, max);
  const create: Endpoint[][] = [];
  while (rest.length > 0) {
    const fitting = rest.length < max ? getSliceToFill(untouched, rest.length, max) : undefined;
    if (fitting) {
      untouched.splice(untouched.indexOf(fitting), 1);
      filled.push(withEndpoints(fitting, [...(fitting.endpoints ?? []), ...rest.splice(0)], labels));
    } else {
      create.push(rest.splice(0, max));
    }
  }
  return { create, update: filled, delete: gone };
}

/** The endpoints of a slice that are still desired, as they should be now; they are taken out of `left`. */
function takeDesired(before: readonly Endpoint[], left: Map<string, Endpoint>) {
  const kept: Endpoint[] = [];
  let changed = false;
  for (const endpoint of before) {
    const key = hashEndpoint(endpoint);
    const wanted = left.get(key);
    if (!wanted) continue;
    left.delete(key);
    changed ||= !endpointsEqualBeyondHash(wanted, endpoint);
    // Hints are given later, and compared then.
    kept.push(endpoint.hints ? { ...wanted, hints: endpoint.hints } : wanted);
  }
  return { kept, changed: changed || kept.length !== before.length };
}

/** Moves endpoints from `rest` into slices that are written anyway. */
function fillFullestFirst(slices: readonly EndpointSlice[], rest: Endpoint[], max: number): EndpointSlice[] {
  return [...slices]
    .sort((a, b) => (b.endpoints ?? []).length - (a.endpoints ?? []).length)
    .map((slice) => {
      const before = slice.endpoints ?? [];
      const room = Math.max(0, max - before.length);
      return { ...slice, endpoints: [...before, ...rest.splice(0, room)] };
    });
}

/** The slice that is nearest to full after taking `count` more. */
function getSliceToFill(slices: readonly EndpointSlice[], count: number, max: number): EndpointSlice | undefined {
  const room = (slice: EndpointSlice) => max - count - (slice.endpoints ?? []).length;
  const fitting = slices.filter((slice) => room(slice) >= 0 && room(slice) < max);
  return fitting.sort((a, b) => room(a) - room(b))[0];
}

function withEndpoints(slice: EndpointSlice, endpoints: readonly Endpoint[], labels: Record<string, string>) {
  return { ...slice, metadata: { ...slice.metadata, labels }, endpoints: [...endpoints] };
}
