// Distributes endpoints over slices with as few writes as possible (upstream: reconcileByPortMapping).
import type { Endpoint, EndpointSlice } from "../../../shared/k8s/api/discovery-v1.ts";
import { hashEndpoint, endpointsEqualBeyondHash } from "../common/endpoints/endpoint-of-pod.ts";

/** The maximum number of endpoints in a slice (upstream's default of `--max-endpoints-per-slice`). */
export const maxEndpointsPerSlice = 100;

export interface SlicePlan {
  /** The endpoints of new slices, one list for each slice. */
  readonly create: Endpoint[][];
  readonly update: EndpointSlice[];
  readonly delete: EndpointSlice[];
}

/** `labels` are the desired labels of every slice. `labelsDiffer` reports whether a slice has others. */
export interface SliceLabels {
  readonly labels: Record<string, string>;
  differ(slice: EndpointSlice): boolean;
}

/**
 * Distributes `desired` over the existing slices of one set of ports. Endpoints stay in their slice. The rest goes into slices that are
 * written anyway, then into one untouched slice if it fits, then into new ones.
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
    const { kept: remaining, changed } = takeDesired(before, left);
    if (remaining.length === 0 && before.length > 0) gone.push(slice);
    else if (changed) update.push(withEndpoints(slice, remaining, labels));
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

/** Returns the endpoints of a slice that are still desired, with their current values. Removes them from `left`. */
function takeDesired(before: readonly Endpoint[], left: Map<string, Endpoint>) {
  const remaining: Endpoint[] = [];
  let changed = false;
  for (const endpoint of before) {
    const key = hashEndpoint(endpoint);
    const desired = left.get(key);
    if (!desired) continue;
    left.delete(key);
    changed ||= !endpointsEqualBeyondHash(desired, endpoint);
    // Hints are computed and compared later.
    remaining.push(endpoint.hints ? { ...desired, hints: endpoint.hints } : desired);
  }
  return { kept: remaining, changed: changed || remaining.length !== before.length };
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

/** Returns the slice that is fullest after adding `count` endpoints. */
function getSliceToFill(slices: readonly EndpointSlice[], count: number, max: number): EndpointSlice | undefined {
  const room = (slice: EndpointSlice) => max - count - (slice.endpoints ?? []).length;
  const fitting = slices.filter((slice) => room(slice) >= 0 && room(slice) < max);
  return fitting.sort((a, b) => room(a) - room(b))[0];
}

function withEndpoints(slice: EndpointSlice, endpoints: readonly Endpoint[], labels: Record<string, string>) {
  return { ...slice, metadata: { ...slice.metadata, labels }, endpoints: [...endpoints] };
}
