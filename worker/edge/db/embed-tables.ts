// The table of publishable keys. They are public, so they are stored as they are.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PublishableKeyLimits } from "../../../shared/contract/hosted/publishable-key.ts";
import { tenants } from "./tenant-tables.ts";

export const publishableKeys = sqliteTable(
  "publishable_keys",
  {
    /** The key, `pk_...`. */
    key: text("key").primaryKey(),
    tenantId: text("tenant_id")
      .notNull()
      .references(() => tenants.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    origins: text("origins", { mode: "json" }).$type<string[]>().notNull(),
    templates: text("templates", { mode: "json" }).$type<string[]>().notNull(),
    lessons: text("lessons", { mode: "json" }).$type<string[]>().notNull(),
    ttlSeconds: integer("ttl_seconds").notNull(),
    limits: text("limits", { mode: "json" }).$type<PublishableKeyLimits>().notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
  },
  (table) => [index("publishable_keys_by_tenant").on(table.tenantId, table.createdAtMs)],
);

export type PublishableKeyRow = typeof publishableKeys.$inferSelect;
