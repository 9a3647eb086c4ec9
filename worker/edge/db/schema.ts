// The tables of D1: who may make sandboxes, and which there are. What is in a sandbox is in its object alone.
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const tenants = sqliteTable("tenants", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  createdAtMs: integer("created_at_ms").notNull(),
});

export const apiKeys = sqliteTable("api_keys", {
  /** SHA-256 of the key; the key itself is kept nowhere. */
  hash: text("hash").primaryKey(),
  tenantId: text("tenant_id")
    .notNull()
    .references(() => tenants.id, { onDelete: "cascade" }),
  createdAtMs: integer("created_at_ms").notNull(),
});

/** As the index has it: what is not written alike does not use it. */
export const unfinished = sql`state <> 'ready'`;

export const sandboxes = sqliteTable(
  "sandboxes",
  {
    id: text("id").primaryKey(),
    tenantId: text("tenant_id")
      .notNull()
      .references(() => tenants.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    nodes: integer("nodes").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    expiresAtMs: integer("expires_at_ms").notNull(),
    /** `making`: its cluster may not be there yet; `deleting`: it may be gone already. Neither is shown to anyone. */
    state: text("state", { enum: ["making", "ready", "deleting"] })
      .notNull()
      .default("ready"),
  },
  (table) => [
    index("sandboxes_by_tenant").on(table.tenantId, table.createdAtMs, table.id),
    index("sandboxes_by_expiry").on(table.expiresAtMs),
    // Only of those that wait for someone to finish them: nearly none.
    index("sandboxes_unfinished").on(table.createdAtMs).where(unfinished),
  ],
);

export type SandboxRow = typeof sandboxes.$inferSelect;
