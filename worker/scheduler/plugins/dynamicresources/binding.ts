// Checks the binding conditions of devices, which their driver must set before the pod is bound.
import type {
  AllocatedDeviceStatus,
  DeviceRequestAllocationResult,
  ResourceClaim,
} from "../../../../shared/k8s/api/resource-v1.ts";

type Status = ResourceClaim["status"];

/** Reports whether all conditions of all allocated devices are true. */
export function isReady(status: Status): boolean {
  return conditional(status).every((result) => {
    const conditions = statusOf(status, result)?.conditions ?? [];
    return result.bindingConditions?.every((type) => isTrue(conditions, type));
  });
}

/** Reports whether a driver has set a failure condition. */
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
  return devices?.find(
    (deviceStatus) => deviceStatus.driver === driver && deviceStatus.pool === pool && deviceStatus.device === device,
  );
}

function isTrue(conditions: AllocatedDeviceStatus["conditions"], type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === "True");
}
