// The tables of sandboxes, snapshots, and idempotency keys. The content of a sandbox is only in its Durable Object, that of a snapshot only
// in its file.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { firstVersion, supportedVersions } from "../../../shared/k8s/settings/release.ts";
import type { Labels } from "../../../shared/contract/sandbox-fields.ts";
import { tenants } from "./tenant-tables.ts";

/** Written as in the index; SQLite does not use the index for another form. */
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
    /** The Kubernetes version of the control plane. Sandboxes that were created before the column existed have the default. */
    version: text("version", { enum: supportedVersions }).notNull().default(firstVersion),
    description: text("description").notNull().default(""),
    labels: text("labels", { mode: "json" }).$type<Labels>().notNull().default({}),
    /**
     * The snapshot or template version that it was created from; empty if the cluster stores its origin; `state` for older sandboxes
     * without a stored origin.
     */
    madeOf: text("made_of").notNull().default("state"),
    createdAtMs: integer("created_at_ms").notNull(),
    expiresAtMs: integer("expires_at_ms").notNull(),
    /** The state. `making`: the cluster may not exist yet; `deleting`: it may be gone already. Both are hidden from clients. */
    state: text("state", { enum: ["making", "ready", "deleting"] })
      .notNull()
      .default("ready"),
    /** The number of rotations of the administrator's token. */
    tokenVersion: integer("token_version").notNull().default(0),
    /** The id of the secret from which the tokens are derived; empty if it is the secret that made the sandbox's id, as for older rows. */
    secretId: text("secret_id").notNull().default(""),
    /** True for anonymous access, as in the id. It is read if the secret that made the id is unknown. */
    anonymousAccess: integer("anonymous_access", { mode: "boolean" }).notNull().default(false),
  },
  (table) => [
    index("sandboxes_by_tenant").on(table.tenantId, table.createdAtMs, table.id),
    index("sandboxes_by_expiry").on(table.expiresAtMs),
    // A partial index: hardly any sandbox is unfinished.
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
    /** The sandbox of the snapshot, which may be gone. */
    sandboxId: text("sandbox_id").notNull(),
    sandboxName: text("sandbox_name").notNull(),
    name: text("name").notNull(),
    note: text("note").notNull(),
    /** The following four are 0 until the snapshot is ready. */
    revision: integer("revision").notNull(),
    nodes: integer("nodes").notNull(),
    objects: integer("objects").notNull(),
    /** The size of the file; 0 again after the expired file was removed. */
    bytes: integer("bytes").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    expiresAtMs: integer("expires_at_ms").notNull(),
    /** The state. `making`: the file may not exist yet; `deleting`: it may be gone already. Both are hidden from clients. */
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
    /** The SHA-256 of the request. */
    request: text("request").notNull(),
    /** The request that holds the key; a request that takes it over has another id. */
    holder: text("holder").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    /** The encrypted response. Until there is one: empty, `made` with the id of the resource, or `unknown` if the outcome is unknown. */
    answer: text("answer").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.key] }),
    index("idempotency_keys_by_age").on(table.createdAtMs),
  ],
);

/** The secrets to which stored data was or is being moved. */
export const secretMoves = sqliteTable("secret_moves", {
  /** See `secretId` of sandboxes. */
  secretId: text("secret_id").primaryKey(),
  begunAtMs: integer("begun_at_ms").notNull(),
});

export type IdempotencyRow = typeof idempotencyKeys.$inferSelect;
export type SnapshotRow = typeof snapshots.$inferSelect;
export type SandboxRow = typeof sandboxes.$inferSelect;
