// How many requests each priority level would be served at once by an API server of the usual size (upstream: nominal_limit_seats).
import type { PriorityLevelConfiguration } from "../../../shared/k8s/api/flowcontrol-v1.ts";
import type { Registry } from "../../registry/registry.ts";

/** A server's seats by its flags' defaults: 400 for requests that read and 200 for those that change something. */
const serverSeats = 600;

/** Seats by level, in the order of their names; at most `most` levels. */
export function nominalSeats({ catalogue, store }: Registry, most: number): [level: string, seats: number][] {
  const kind = catalogue.byPath("flowcontrol.apiserver.k8s.io/v1", "prioritylevelconfigurations");
  if (!kind) return [];
  const shares: [string, number][] = [];
  for (const object of store.list({ resource: kind.resource })) {
    // Only objects of the kind are stored under its name.
    const { metadata, spec } = object as PriorityLevelConfiguration;
    const own = spec.limited ?? spec.exempt;
    shares.push([metadata.name ?? "", own?.nominalConcurrencyShares ?? 0]);
    if (shares.length >= most) break;
  }
  const total = shares.reduce((sum, [, own]) => sum + own, 0);
  return shares.map(([level, own]) => [level, total === 0 ? 0 : Math.ceil((serverSeats * own) / total)]);
}
