// Further tenants, which are written to D1.
import { createHash, randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { inject } from "vitest";
import type { ServiceAddress } from "./service.ts";

/** The tenants of the shared service, beside its own one. Each belongs to a single file of tests, which may count what the tenant has. */
export const tenantNames = [
  "neighbour",
  "class-in-chromium",
  "class-in-firefox",
  "teaching",
  "changes",
  "console",
] as const;
export type TenantName = (typeof tenantNames)[number];

/** Returns the address of the shared service with the key of a tenant. */
export function serviceOf(tenant: TenantName): ServiceAddress {
  return { ...inject("service"), apiKey: inject("tenants")[tenant] };
}

/** Adds a tenant of this name, and gives its key. The service must be at rest. */
export function addTenant(service: ServiceAddress, name: string): string {
  const key = `sbk_${randomBytes(24).toString("hex")}`;
  const database = openDirectory(service);
  try {
    const nowMs = Date.now();
    database.prepare("INSERT INTO tenants (id, name, created_at_ms) VALUES (?, ?, ?)").run(name, name, nowMs);
    database
      .prepare("INSERT INTO api_keys (hash, tenant_id, created_at_ms) VALUES (?, ?, ?)")
      .run(createHash("sha256").update(key).digest("hex"), name, nowMs);
  } finally {
    database.close();
  }
  return key;
}

/** The service has it open at the same time. */
function openDirectory({ data }: ServiceAddress): DatabaseSync {
  const folder = join(data, "state/d1/miniflare-D1DatabaseObject");
  const file = readdirSync(folder).find((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)) ?? "";
  const database = new DatabaseSync(join(folder, file));
  database.exec("PRAGMA busy_timeout = 5000");
  return database;
}
