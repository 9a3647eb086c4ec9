// What has been allocated already: devices as a whole, and parts of those that are shared.
import type { ResourceClaim } from "../../../../shared/k8s/api/resource-v1.ts";
import type { Consumed } from "./capacity.ts";

export interface Allocated {
  readonly devices: ReadonlySet<string>;
  /** By device: what each of those that share it takes. */
  readonly shared: ReadonlyMap<string, readonly Consumed[]>;
}

export function allocatedIn(claims: Iterable<ResourceClaim>): Allocated {
  const devices = new Set<string>();
  const shared = new Map<string, Consumed[]>();
  for (const { status } of claims) {
    for (const result of status.allocation?.devices.results ?? []) {
      // Access for administrators takes nothing from anybody.
      if (result.adminAccess) continue;
      const id = deviceId(result.driver, result.pool, result.device);
      if (result.shareID === undefined) devices.add(id);
      else shared.set(id, [...(shared.get(id) ?? []), result.consumedCapacity ?? {}]);
    }
  }
  return { devices, shared };
}

export function deviceId(driver: string, pool: string, device: string): string {
  return `${driver}/${pool}/${device}`;
}
