// A second tenant, entered where an operator would enter one: in D1.
import { createHash, randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ServiceAddress } from "./service.ts";

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
