// What the scheduler asks about devices and the claims on them.
import type { DeviceClass, ResourceClaim, ResourceSlice } from "../../../../shared/k8s/api/resource-v1.ts";
import { deviceClasses } from "../../../kinds/resource/device-class.ts";
import { resourceClaims } from "../../../kinds/resource/resource-claim.ts";
import { resourceSlices } from "../../../kinds/resource/resource-slice.ts";
import type { Client } from "../../../registry/client.ts";

export interface Devices {
  claim(namespace: string, name: string): ResourceClaim | undefined;
  claims(): Iterable<ResourceClaim>;
  deviceClass(name: string): DeviceClass | undefined;
  slices(): readonly ResourceSlice[];
}

export function devicesOf(client: Client): Devices {
  return {
    claim: (namespace, name) => client.get(resourceClaims, namespace, name),
    claims: () => client.each(resourceClaims),
    deviceClass: (name) => client.get(deviceClasses, "", name),
    slices: () => client.list(resourceSlices),
  };
}
