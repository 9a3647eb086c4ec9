// The tables of D1 about what there is: sandboxes, snapshots, and what was answered to requests that may come again. What is in a sandbox is
// in its object alone, what is in a snapshot in its file.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Labels } from "../../../shared/contract/sandbox.ts";
import { tenants } from "./tenant-tables.ts";

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
    labels: text("labels", { mode: "json" }).$type<Labels>().notNull().default({}),
    /** The id of the snapshot that it began with; empty: its object knows; `state`: nothing is kept of it, as of older ones. */
    madeOf: text("made_of").notNull().default("state"),
    createdAtMs: integer("created_at_ms").notNull(),
    expiresAtMs: integer("expires_at_ms").notNull(),
    /** `making`: its cluster may not be there yet; `deleting`: it may be gone already. Neither is shown to anyone. */
    state: text("state", { enum: ["making", "ready", "deleting"] })
      .notNull()
      .default("ready"),
    /** Rises each time the administrator's token is rotated. */
    tokenVersion: integer("token_version").notNull().default(0),
    /** The id of the secret's value from which its tokens follow; empty: the value that made its id, as of older ones. */
    secretId: text("secret_id").notNull().default(""),
    /** As its id says; it is read where the value that made the id is not known any more. */
    anonymousAccess: integer("anonymous_access", { mode: "boolean" }).notNull().default(false),
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

export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    tenantId: text("tenant_id")
      .notNull()
      .references(() => tenants.id, { onDelete: "cascade" }),
    key: text("key").notNull(),
    /** SHA-256 of the request. */
    request: text("request").notNull(),
    /** Of whoever answers it: who took it over from one that was cut off has another. */
    holder: text("holder").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    /** Enciphered; until there is one empty, or `made` and the id of what was made, or `unknown`: it may have been done. */
    answer: text("answer").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.key] }),
    index("idempotency_keys_by_age").on(table.createdAtMs),
  ],
);

/** Values of the service's secret to which what is stored was moved, or is being moved. */
export const secretMoves = sqliteTable("secret_moves", {
  /** See `secretId` of sandboxes. */
  secretId: text("secret_id").primaryKey(),
  begunAtMs: integer("begun_at_ms").notNull(),
});

export type IdempotencyRow = typeof idempotencyKeys.$inferSelect;
export type SnapshotRow = typeof snapshots.$inferSelect;
export type SandboxRow = typeof sandboxes.$inferSelect;
