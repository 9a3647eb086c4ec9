// Computes the nominal concurrency of each priority level for an API server with default flags (upstream: nominal_limit_seats).
import type { PriorityLevelConfiguration } from "../../../shared/k8s/api/flowcontrol-v1.ts";
import type { Registry } from "../../registry/registry.ts";

/** The seats of a server with default flags: 400 for reads and 200 for writes. */
const serverSeats = 600;

/** Returns the seats by level, ordered by name, for at most `most` levels. */
export function nominalSeats({ catalogue, store }: Registry, most: number): [level: string, seats: number][] {
  const kind = catalogue.byPath("flowcontrol.apiserver.k8s.io/v1", "prioritylevelconfigurations");
  if (!kind) return [];
  const shares: [string, number][] = [];
  for (const object of store.list({ resource: kind.resource })) {
    // Only objects of this kind are stored under its name.
    const { metadata, spec } = object as PriorityLevelConfiguration;
    const levelSpec = spec.limited ?? spec.exempt;
    shares.push([metadata.name ?? "", levelSpec?.nominalConcurrencyShares ?? 0]);
    if (shares.length >= most) break;
  }
  const total = shares.reduce((sum, [, levelShares]) => sum + levelShares, 0);
  return shares.map(([level, levelShares]) => [
    level,
    total === 0 ? 0 : Math.ceil((serverSeats * levelShares) / total),
  ]);
}
