// DynamicResources: the devices that a pod's claims ask for.
import type { ResourceClaim } from "../../../../shared/k8s/api/resource-v1.ts";
import type { Found } from "./find.ts";
import type { Cycle, Plugin } from "./plugin.ts";

export const dynamicResources: Plugin = {
  name: "DynamicResources",
  weight: 2,
};

/** What can be given back so that the pod finds other devices, and what is said of it. */
export function deallocation(
  _cycle: Cycle,
  _found: Found,
): { readonly message: string; readonly claim?: ResourceClaim } {
  return { message: "no new claims to deallocate" };
}
