// Looks again for the servers behind a Service: its tunnel has come or gone, which no stored object tells.
import { availabilityController } from "../../controllers/api-service-availability.ts";
import { apiServices } from "../../kinds/apiregistration/api-service.ts";
import type { Cluster } from "../cluster.ts";

/** Whether anyone waits for it. */
export function retryAvailability({ system, runtime }: Cluster, namespace: string, name: string): boolean {
  const waiting = [...system.byIndexValue(apiServices, `${namespace}/${name}`)];
  for (const { metadata } of waiting) {
    runtime.request(availabilityController.name, { namespace: "", name: metadata.name ?? "" });
  }
  return waiting.length > 0;
}
