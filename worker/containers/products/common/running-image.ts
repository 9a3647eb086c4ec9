// Whether an operator runs in the cluster: what it would do is done by a controller here for as long as its Deployment is available.
import type { Deployment } from "../../../../shared/k8s/api/apps-v1.ts";
import { deployments } from "../../../kinds/apps/deployment.ts";
import type { Client } from "../../../registry/client.ts";

export function runsImage(deployment: Deployment | undefined, image: RegExp): boolean {
  return deployment?.spec.template.spec.containers.some((one) => image.test(one.image ?? "")) ?? false;
}

export function isAvailable(deployment: Deployment | undefined): boolean {
  return (deployment?.status.availableReplicas ?? 0) > 0;
}

/** Whether any Deployment with the image is available. */
export function isRun(client: Client, image: RegExp): boolean {
  for (const one of client.each(deployments)) if (runsImage(one, image) && isAvailable(one)) return true;
  return false;
}
