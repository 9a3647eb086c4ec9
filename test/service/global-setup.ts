// One service for the whole run of the project `service`, started before its tests and ended after them.
import type { TestProject } from "vitest/node";
import { operatorKey, type ServiceAddress, startService } from "./service.ts";
import { addTenant, type TenantName, tenantNames } from "./tenants.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The service that all tests share. Its kubelets have no delays; each test makes its own sandbox. */
    service: ServiceAddress;
    /** The keys of further tenants. */
    tenants: Readonly<Record<TenantName, string>>;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const service = await startService({
    build: !process.env.SANDBAR_SKIP_BUILD,
    environment: { SANDBAR_KUBELET_DELAYS: "zero", SANDBAR_OPERATOR_KEY: operatorKey },
  });
  project.provide("service", service.address);
  // The tenants are added before the first test, because the database of a busy service would be locked.
  const keys = tenantNames.map((name) => [name, addTenant(service.address, name)] as const);
  // The array has each name once.
  project.provide("tenants", Object.fromEntries(keys) as Record<TenantName, string>);
  return async () => {
    await service.stop();
  };
}
