// Devices that have to be made ready, by conditions that their driver sets, before a pod may be bound.
import type {
  AllocatedDeviceStatus,
  DeviceRequestAllocationResult,
  ResourceClaim,
} from "../../../../shared/k8s/api/resource-v1.ts";

type Status = ResourceClaim["status"];

/** All conditions of all allocated devices are true. */
export function isReady(status: Status): boolean {
  return conditional(status).every((result) => {
    const conditions = statusOf(status, result)?.conditions ?? [];
    return result.bindingConditions?.every((type) => isTrue(conditions, type));
  });
}

/** A driver has said that it cannot be. */
export function isFailed(status: Status): boolean {
  return conditional(status).some((result) => {
    const conditions = statusOf(status, result)?.conditions ?? [];
    return result.bindingFailureConditions?.some((type) => isTrue(conditions, type));
  });
}

function conditional({ allocation }: Status): readonly DeviceRequestAllocationResult[] {
  return allocation?.devices.results?.filter(({ bindingConditions }) => bindingConditions?.length) ?? [];
}

function statusOf(
  { devices }: Status,
  { driver, pool, device }: DeviceRequestAllocationResult,
): AllocatedDeviceStatus | undefined {
  return devices?.find((one) => one.driver === driver && one.pool === pool && one.device === device);
}

function isTrue(conditions: AllocatedDeviceStatus["conditions"], type: string): boolean {
  return conditions.some((one) => one.type === type && one.status === "True");
}
