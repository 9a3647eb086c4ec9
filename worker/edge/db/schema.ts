// The tables of D1: who may make sandboxes, and which sandboxes and snapshots there are. What is in a sandbox is in its object alone, what
// is in a snapshot in its file.
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

export const snapshots = sqliteTable(
  "snapshots",
  {
    id: text("id").primaryKey(),
    tenantId: text("tenant_id")
      .notNull()
      .references(() => tenants.id, { onDelete: "cascade" }),
    /** Of what it is; that sandbox may be gone. */
    sandboxId: text("sandbox_id").notNull(),
    sandboxName: text("sandbox_name").notNull(),
    name: text("name").notNull(),
    note: text("note").notNull(),
    /** These four are 0 while it is made. */
    revision: integer("revision").notNull(),
    nodes: integer("nodes").notNull(),
    objects: integer("objects").notNull(),
    /** Of its file; 0 again when that is gone because it has expired. */
    bytes: integer("bytes").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    expiresAtMs: integer("expires_at_ms").notNull(),
    /** `making`: its file may not be there yet; `deleting`: it may be gone already. Neither is shown to anyone. */
    state: text("state", { enum: ["making", "ready", "deleting"] }).notNull(),
  },
  (table) => [
    index("snapshots_by_tenant").on(table.tenantId, table.createdAtMs, table.id),
    index("snapshots_by_expiry").on(table.expiresAtMs),
    index("snapshots_unfinished").on(table.createdAtMs).where(unfinished),
  ],
);

export type SnapshotRow = typeof snapshots.$inferSelect;
export type SandboxRow = typeof sandboxes.$inferSelect;
