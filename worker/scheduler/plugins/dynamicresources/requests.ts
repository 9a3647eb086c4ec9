// The requests of a claim. A request with alternatives has one entry for each alternative.
import type {
  CapacityRequirements,
  DeviceClass,
  DeviceRequest,
  DeviceSelector,
  DeviceToleration,
  ExactDeviceRequest,
} from "../../../../shared/k8s/api/resource-v1.ts";

export interface AskedDevices {
  readonly name: string;
  /** The name of the request that this is an alternative of. */
  readonly parent: string | undefined;
  readonly className: string;
  readonly isAll: boolean;
  readonly count: number;
  readonly isAdmin: boolean;
  readonly selectors: readonly DeviceSelector[];
  readonly tolerations: readonly DeviceToleration[];
  readonly capacity: CapacityRequirements | undefined;
}

/** A request with its device class. */
export interface ClassedRequest extends AskedDevices {
  readonly class: DeviceClass;
}

/** Returns the alternatives of a request in order of preference, or the request itself. */
export function alternativesOf({ name, exactly, firstAvailable = [] }: DeviceRequest): readonly AskedDevices[] {
  if (exactly) return [askedDevicesOf(exactly, name, undefined)];
  return firstAvailable.map((subRequest) => askedDevicesOf(subRequest, subRequest.name, name));
}

/** Returns the name in results: `gpu`, or `gpu/small` for an alternative. */
export function resultName({ name, parent }: AskedDevices): string {
  return parent === undefined ? name : `${parent}/${name}`;
}

function askedDevicesOf(request: ExactDeviceRequest, name: string, parent: string | undefined): AskedDevices {
  const { deviceClassName, allocationMode, count, adminAccess, selectors, tolerations, capacity } = request;
  return {
    name,
    parent,
    className: deviceClassName,
    isAll: allocationMode === "All",
    count: count ?? 1,
    isAdmin: adminAccess === true,
    selectors: selectors ?? [],
    tolerations: tolerations ?? [],
    capacity,
  };
}
