// The tables of callers: tenants, people, sign-in methods, keys, and the audit log.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type Role, roles, type Scope } from "../../../shared/contract/scope.ts";

export const tenants = sqliteTable(
  "tenants",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    /** The state. `deleting`: no caller is authenticated; the row is deleted after the last sandbox. */
    state: text("state", { enum: ["ready", "deleting"] })
      .notNull()
      .default("ready"),
    /** The person who created the tenant, or a hash of their GitHub account; empty if the operator did. */
    createdBy: text("created_by").notNull().default(""),
  },
  (table) => [index("tenants_by_creator").on(table.createdBy).where(sql`created_by <> ''`)],
);

const tenantId = () =>
  text("tenant_id")
    .notNull()
    .references(() => tenants.id, { onDelete: "cascade" });

/** The origins that are allowed by CORS. */
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
  /** GitHub's number of the account, which does not change with the login. */
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
    /** The SHA-256 of the invitation's code. */
    hash: text("hash").primaryKey(),
    tenantId: tenantId(),
    role: role(),
    /** The name of the inviter. */
    invitedBy: text("invited_by").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    expiresAtMs: integer("expires_at_ms").notNull(),
    /** The address of the invited person, or empty. */
    email: text("email").notNull().default(""),
    /** The state of its e-mail; empty if none is sent. */
    mail: text("mail", { enum: ["", "sending", "sent", "failed"] })
      .notNull()
      .default(""),
    /** The time at which it was accepted. Null while it is open. The row then only explains why the link is not valid. */
    usedAtMs: integer("used_at_ms"),
  },
  (table) => [
    index("invitations_by_tenant").on(table.tenantId, table.createdAtMs),
    index("invitations_by_expiry").on(table.expiresAtMs),
  ],
);

export const passkeys = sqliteTable(
  "passkeys",
  {
    /** The authenticator's id of the credential, in base64url. */
    id: text("id").primaryKey(),
    personId: personId(),
    name: text("name").notNull(),
    /** The public key as COSE in base64url. */
    publicKey: text("public_key").notNull(),
    counter: integer("counter").notNull(),
    transports: text("transports", { mode: "json" }).$type<string[]>().notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    lastUsedAtMs: integer("last_used_at_ms"),
    /** The time of the last answered challenge. A challenge that is not newer is rejected. */
    challengedAtMs: integer("challenged_at_ms").notNull(),
  },
  (table) => [index("passkeys_by_person").on(table.personId, table.createdAtMs)],
);

export const sessions = sqliteTable(
  "sessions",
  {
    /** The SHA-256 of the cookie's value. */
    hash: text("hash").primaryKey(),
    personId: personId(),
    /** The current tenant of the session. Null if the person belongs to none. */
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
    /** The SHA-256 of the key, which is not stored itself. */
    hash: text("hash").primaryKey(),
    tenantId: tenantId(),
    createdAtMs: integer("created_at_ms").notNull(),
    name: text("name").notNull().default("operator"),
    /** The scopes; null for all. */
    scopes: text("scopes", { mode: "json" }).$type<Scope[]>(),
    /** The expiry; null for never. */
    expiresAtMs: integer("expires_at_ms"),
    /** The last use, rounded to the hour. */
    lastUsedAtMs: integer("last_used_at_ms"),
    /** The person who created the key, whose role limits it. Null if the operator did, or a key without a person. */
    personId: text("person_id").references(() => people.id, { onDelete: "cascade" }),
  },
  (table) => [index("api_keys_by_tenant").on(table.tenantId, table.createdAtMs)],
);

export const controlAudit = sqliteTable(
  "control_audit",
  {
    tenantId: tenantId(),
    /** The number of the entry, ascending within the tenant. */
    seq: integer("seq").notNull(),
    atMs: integer("at_ms").notNull(),
    /** The kind of the actor; `operator` runs the service. */
    actorKind: text("actor_kind", { enum: ["key", "person", "operator"] }).notNull(),
    actorId: text("actor_id").notNull(),
    actorName: text("actor_name").notNull(),
    action: text("action").notNull(),
    target: text("target").notNull(),
    outcome: text("outcome", { enum: ["begun", "done", "failed"] }).notNull(),
    /** The error code of a failed action, or empty. */
    code: text("code").notNull(),
    address: text("address").notNull(),
    /** The operator's change as JSON, or empty. */
    detail: text("detail").notNull().default(""),
    /** The `Request-Id` of the request; empty for entries of earlier versions. */
    requestId: text("request_id").notNull().default(""),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.seq] }),
    index("control_audit_by_age").on(table.atMs),
    // Ordered by row id.
    index("control_audit_of_operator").on(table.actorKind).where(sql`actor_kind = 'operator'`),
    // For the deletion of a person.
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
