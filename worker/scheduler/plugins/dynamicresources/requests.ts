// What a claim asks for, request by request; a request with alternatives has one entry for each of them.
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
  /** The request that this is an alternative of. */
  readonly parent: string | undefined;
  readonly className: string;
  readonly isAll: boolean;
  readonly count: number;
  readonly isAdmin: boolean;
  readonly selectors: readonly DeviceSelector[];
  readonly tolerations: readonly DeviceToleration[];
  readonly capacity: CapacityRequirements | undefined;
}

/** What is asked, with the class that it names. */
export interface ClassedRequest extends AskedDevices {
  readonly class: DeviceClass;
}

/** The alternatives in order of preference; one where there is no choice. */
export function alternativesOf({ name, exactly, firstAvailable = [] }: DeviceRequest): readonly AskedDevices[] {
  if (exactly) return [asked(exactly, name, undefined)];
  return firstAvailable.map((one) => asked(one, one.name, name));
}

/** The name in results: `gpu`, or `gpu/small` for an alternative. */
export function resultName({ name, parent }: AskedDevices): string {
  return parent === undefined ? name : `${parent}/${name}`;
}

function asked(request: ExactDeviceRequest, name: string, parent: string | undefined): AskedDevices {
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
