// The table of shared states: links that give everybody a fork of a sandbox.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { tenants } from "../tenant-tables.ts";

export const sharedStates = sqliteTable(
  "shared_states",
  {
    id: text("id").primaryKey(),
    tenantId: text("tenant_id")
      .notNull()
      .references(() => tenants.id, { onDelete: "cascade" }),
    title: text("title").notNull(),
    /** The snapshot that forks begin with. */
    snapshotId: text("snapshot_id").notNull(),
    /** The snapshots of an exam that has several clusters, the first of which is `snapshotId`. Empty otherwise. */
    clusters: text("clusters", { mode: "json" }).$type<readonly SharedCluster[]>().notNull().default([]),
    /** The maximum number of forks, and their number so far. */
    forks: integer("forks").notNull(),
    used: integer("used").notNull(),
    /** The lifetime of a fork. */
    ttlSeconds: integer("ttl_seconds").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    expiresAtMs: integer("expires_at_ms").notNull(),
  },
  (table) => [
    index("shared_states_by_tenant").on(table.tenantId, table.createdAtMs),
    index("shared_states_by_end").on(table.expiresAtMs),
  ],
);

export interface SharedCluster {
  /** The name of its context. */
  readonly name: string;
  readonly snapshotId: string;
}

export type SharedStateRow = typeof sharedStates.$inferSelect;
