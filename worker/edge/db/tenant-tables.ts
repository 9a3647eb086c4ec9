// The tables of D1 about who asks: tenants, their people, how these sign in, keys, and what was done.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type Role, roles, type Scope } from "../../../shared/contract/scope.ts";

export const tenants = sqliteTable(
  "tenants",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    /** `deleting`: nobody gets in any more; the row goes when the last sandbox has. */
    state: text("state", { enum: ["ready", "deleting"] })
      .notNull()
      .default("ready"),
    /** The person who made it, or a hash of their GitHub account; empty: the operator did. */
    createdBy: text("created_by").notNull().default(""),
  },
  (table) => [index("tenants_by_creator").on(table.createdBy).where(sql`created_by <> ''`)],
);

const tenantId = () =>
  text("tenant_id")
    .notNull()
    .references(() => tenants.id, { onDelete: "cascade" });

/** Origins whose pages may ask. */
export const tenantOrigins = sqliteTable(
  "tenant_origins",
  { origin: text("origin").notNull(), tenantId: tenantId() },
  (table) => [
    primaryKey({ columns: [table.origin, table.tenantId] }),
    index("tenant_origins_by_tenant").on(table.tenantId),
  ],
);

export const people = sqliteTable("people", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  /** GitHub's number of the account, which stays the same when the login changes. */
  githubId: text("github_id").unique(),
  githubLogin: text("github_login"),
  createdAtMs: integer("created_at_ms").notNull(),
});

const personId = () =>
  text("person_id")
    .notNull()
    .references(() => people.id, { onDelete: "cascade" });

const role = () => text("role", { enum: [...roles] as [Role, ...Role[]] }).notNull();

export const members = sqliteTable(
  "members",
  { tenantId: tenantId(), personId: personId(), role: role(), createdAtMs: integer("created_at_ms").notNull() },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.personId] }),
    index("members_by_person").on(table.personId, table.createdAtMs),
  ],
);

export const invitations = sqliteTable(
  "invitations",
  {
    /** SHA-256 of its code. */
    hash: text("hash").primaryKey(),
    tenantId: tenantId(),
    role: role(),
    /** A name. */
    invitedBy: text("invited_by").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    expiresAtMs: integer("expires_at_ms").notNull(),
  },
  (table) => [
    index("invitations_by_tenant").on(table.tenantId, table.createdAtMs),
    index("invitations_by_expiry").on(table.expiresAtMs),
  ],
);

export const passkeys = sqliteTable(
  "passkeys",
  {
    /** As its authenticator calls it, in base64url. */
    id: text("id").primaryKey(),
    personId: personId(),
    name: text("name").notNull(),
    /** COSE in base64url. */
    publicKey: text("public_key").notNull(),
    counter: integer("counter").notNull(),
    transports: text("transports", { mode: "json" }).$type<string[]>().notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    lastUsedAtMs: integer("last_used_at_ms"),
    /** When the last challenge was made that it has answered: none is good that is not newer. */
    challengedAtMs: integer("challenged_at_ms").notNull(),
  },
  (table) => [index("passkeys_by_person").on(table.personId, table.createdAtMs)],
);

export const sessions = sqliteTable(
  "sessions",
  {
    /** SHA-256 of what stands in the cookie. */
    hash: text("hash").primaryKey(),
    personId: personId(),
    /** What it is about; none where the person belongs to none. */
    tenantId: text("tenant_id").references(() => tenants.id, { onDelete: "set null" }),
    browser: text("browser").notNull(),
    address: text("address").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    expiresAtMs: integer("expires_at_ms").notNull(),
    lastUsedAtMs: integer("last_used_at_ms").notNull(),
  },
  (table) => [
    index("sessions_by_person").on(table.personId, table.createdAtMs),
    index("sessions_by_expiry").on(table.expiresAtMs),
  ],
);

export const apiKeys = sqliteTable(
  "api_keys",
  {
    /** SHA-256 of the key; the key itself is kept nowhere. */
    hash: text("hash").primaryKey(),
    tenantId: tenantId(),
    createdAtMs: integer("created_at_ms").notNull(),
    name: text("name").notNull().default("operator"),
    /** Absent: all there are. */
    scopes: text("scopes", { mode: "json" }).$type<Scope[]>(),
    /** Absent: never. */
    expiresAtMs: integer("expires_at_ms"),
    /** To the hour. */
    lastUsedAtMs: integer("last_used_at_ms"),
    /** Who made it, and whose role it goes with; absent: the operator, or a key that was made so. */
    personId: text("person_id").references(() => people.id, { onDelete: "cascade" }),
  },
  (table) => [index("api_keys_by_tenant").on(table.tenantId, table.createdAtMs)],
);

export const controlAudit = sqliteTable(
  "control_audit",
  {
    tenantId: tenantId(),
    /** Rises by one with each entry of the tenant. */
    seq: integer("seq").notNull(),
    atMs: integer("at_ms").notNull(),
    /** `operator`: who runs the service. */
    actorKind: text("actor_kind", { enum: ["key", "person", "operator"] }).notNull(),
    actorId: text("actor_id").notNull(),
    actorName: text("actor_name").notNull(),
    action: text("action").notNull(),
    target: text("target").notNull(),
    outcome: text("outcome", { enum: ["begun", "done", "failed"] }).notNull(),
    /** Of what failed; empty elsewhere. */
    code: text("code").notNull(),
    address: text("address").notNull(),
    /** Of what an operator did: what was changed to what, as JSON; empty elsewhere. */
    detail: text("detail").notNull().default(""),
    /** The `Request-Id` of the request that did it; empty: an entry of earlier versions. */
    requestId: text("request_id").notNull().default(""),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.seq] }),
    index("control_audit_by_age").on(table.atMs),
    // By the order of the rows.
    index("control_audit_of_operator").on(table.actorKind).where(sql`actor_kind = 'operator'`),
    // For who wants to be forgotten.
    index("control_audit_by_person").on(table.actorId).where(sql`actor_kind = 'person'`),
  ],
);

export type TenantRow = typeof tenants.$inferSelect;
export type KeyRow = typeof apiKeys.$inferSelect;
export type PersonRow = typeof people.$inferSelect;
export type MemberRow = typeof members.$inferSelect;
export type InvitationRow = typeof invitations.$inferSelect;
export type PasskeyRow = typeof passkeys.$inferSelect;
export type SessionRow = typeof sessions.$inferSelect;
export type AuditRow = typeof controlAudit.$inferSelect;
