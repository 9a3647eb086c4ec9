// The tables of tenants' plans, templates, and daily usage.
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { LimitOverrides } from "../../../shared/contract/hosted/plan.ts";
import type { TemplateParts } from "../../../shared/contract/template.ts";
import { tenants } from "./tenant-tables.ts";

/** The plans. A tenant without a row has the service's plan. */
export const tenantPlans = sqliteTable("tenant_plans", {
  tenantId: text("tenant_id")
    .primaryKey()
    .references(() => tenants.id, { onDelete: "cascade" }),
  /** The plan, or empty for the service's. */
  plan: text("plan").notNull().default(""),
  /** The limits that replace those of the plan. */
  overrides: text("overrides", { mode: "json" }).$type<LimitOverrides>().notNull().default({}),
  /** The reason of a suspension, or empty. */
  suspended: text("suspended").notNull().default(""),
  /** The time at which its sandboxes were last counted. */
  reconciledAtMs: integer("reconciled_at_ms").notNull().default(0),
  /** The cursor of the sandboxes that must be informed of new limits; `new:…` for all, null for none. */
  toldAfter: text("told_after"),
});

/** Template versions, which never change. The initial state is a file like that of a snapshot. */
export const templates = sqliteTable(
  "templates",
  {
    tenantId: text("tenant_id")
      .notNull()
      .references(() => tenants.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    version: integer("version").notNull(),
    /** The name of its file, and the value of `made_of` of its sandboxes. */
    id: text("id").notNull().unique(),
    description: text("description").notNull(),
    /** The content of the template as it was requested. */
    content: text("parts", { mode: "json" }).$type<TemplateParts>().notNull(),
    /** The counts, which are 0 until the version is ready. */
    nodes: integer("nodes").notNull(),
    objects: integer("objects").notNull(),
    bytes: integer("bytes").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    /** The state; a row with `deleted` only reserves its version number. */
    state: text("state", { enum: ["making", "ready", "deleted"] }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.name, table.version] }),
    index("templates_by_age").on(table.state, table.createdAtMs),
  ],
);

/** The daily usage of each tenant. The scheduled run writes it, so that the operator's report calls no tenant's Durable Object. */
export const usageDays = sqliteTable(
  "usage_days",
  {
    day: text("day").notNull(),
    tenantId: text("tenant_id").notNull(),
    seconds: real("seconds").notNull(),
    awakeSeconds: real("awake_seconds").notNull(),
    requests: integer("requests").notNull(),
    rowsRead: integer("rows_read").notNull(),
    rowsWritten: integer("rows_written").notNull(),
    bytes: integer("bytes").notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.tenantId] })],
);

export type TemplateRow = typeof templates.$inferSelect;
export type UsageDayRow = typeof usageDays.$inferSelect;
