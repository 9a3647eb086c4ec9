// Reports whether an operator runs in the cluster. A controller here does its work while its Deployment is available.
import type { Deployment } from "../../../../shared/k8s/api/apps-v1.ts";
import { deployments } from "../../../kinds/apps/deployment.ts";
import type { Client } from "../../../registry/client.ts";

export function runsImage(deployment: Deployment | undefined, image: RegExp): boolean {
  return deployment?.spec.template.spec.containers.some((container) => image.test(container.image ?? "")) ?? false;
}

export function isAvailable(deployment: Deployment | undefined): boolean {
  return (deployment?.status.availableReplicas ?? 0) > 0;
}

/** Reports whether any Deployment with the image is available. */
export function isRun(client: Client, image: RegExp): boolean {
  for (const deployment of client.each(deployments))
    if (runsImage(deployment, image) && isAvailable(deployment)) return true;
  return false;
}
