// Further tables of D1: which plan a tenant has, its templates, and what all of its sandboxes used on each day.
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { LimitOverrides } from "../../../shared/contract/hosted/plan.ts";
import type { TemplateParts } from "../../../shared/contract/template.ts";
import { tenants } from "./tenant-tables.ts";

/** A tenant without a row has the service's plan. */
export const tenantPlans = sqliteTable("tenant_plans", {
  tenantId: text("tenant_id")
    .primaryKey()
    .references(() => tenants.id, { onDelete: "cascade" }),
  /** Empty: the service's. */
  plan: text("plan").notNull().default(""),
  /** What it has in place of the plan's. */
  overrides: text("overrides", { mode: "json" }).$type<LimitOverrides>().notNull().default({}),
  /** Why it is refused; empty: it is not. */
  suspended: text("suspended").notNull().default(""),
  /** When its sandboxes were last counted. */
  reconciledAtMs: integer("reconciled_at_ms").notNull().default(0),
  /** Its sandboxes are still to be told what it may do: those after this place of its list; `new:…`: all; absent: none. */
  toldAfter: text("told_after"),
});

/** A row for each version, which never changes. What a sandbox of it begins with is a file, as of a snapshot. */
export const templates = sqliteTable(
  "templates",
  {
    tenantId: text("tenant_id")
      .notNull()
      .references(() => tenants.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    version: integer("version").notNull(),
    /** The name of its file, and what `made_of` says of sandboxes. */
    id: text("id").notNull().unique(),
    description: text("description").notNull(),
    /** As it was asked for. */
    parts: text("parts", { mode: "json" }).$type<TemplateParts>().notNull(),
    /** These are 0 while it is made. */
    nodes: integer("nodes").notNull(),
    objects: integer("objects").notNull(),
    bytes: integer("bytes").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    /** `deleted`: only its number is kept, so that no other version has it. */
    state: text("state", { enum: ["making", "ready", "deleted"] }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.name, table.version] }),
    index("templates_by_age").on(table.state, table.createdAtMs),
  ],
);

/** Written once a day of each tenant, by the scheduled run: what an operator is told without asking every tenant's object. */
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

export type TenantPlanRow = typeof tenantPlans.$inferSelect;
export type TemplateRow = typeof templates.$inferSelect;
export type UsageDayRow = typeof usageDays.$inferSelect;
