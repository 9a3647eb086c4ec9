// One service for the whole run of the project `service`, started before its tests and ended after them.
import type { TestProject } from "vitest/node";
import { operatorKey, type ServiceAddress, startService } from "./service.ts";
import { addTenant } from "./tenants.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The service that all tests share. Its kubelets have no delays; each test makes its own sandbox. */
    service: ServiceAddress;
    /** The key of a second tenant. */
    neighbour: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const service = await startService({
    build: !process.env.SANDBAR_SKIP_BUILD,
    environment: { SANDBAR_KUBELET_DELAYS: "zero", SANDBAR_OPERATOR_KEY: operatorKey },
  });
  project.provide("service", service.address);
  // Before anybody asks: whoever writes to the database of a service that is busy gets into its way.
  project.provide("neighbour", addTenant(service.address, "neighbour"));
  return async () => {
    await service.stop();
  };
}
