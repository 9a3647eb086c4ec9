// The tables of single sign-on and SCIM: each tenant's provider, the people that it manages, and its groups.
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { type Role, roles } from "../../../shared/contract/scope.ts";
import { people, tenants } from "./tenant-tables.ts";

const tenantId = () =>
  text("tenant_id")
    .notNull()
    .references(() => tenants.id, { onDelete: "cascade" });

const personId = () =>
  text("person_id")
    .notNull()
    .references(() => people.id, { onDelete: "cascade" });

/** The provider of OpenID Connect of each tenant. */
export const tenantSso = sqliteTable("tenant_sso", {
  tenantId: text("tenant_id")
    .primaryKey()
    .references(() => tenants.id, { onDelete: "cascade" }),
  issuer: text("issuer").notNull(),
  clientId: text("client_id").notNull(),
  /** The encrypted client secret; empty for a public client. */
  sealedSecret: text("sealed_secret").notNull(),
  /** The role of new members without a group that has one. */
  role: text("role", { enum: [...roles] as [Role, ...Role[]] }).notNull(),
  /** True if people whom nobody provisioned become members when they sign in. */
  joins: integer("joins", { mode: "boolean" }).notNull(),
  /** The domains of verified addresses; none for all. */
  domains: text("domains", { mode: "json" }).$type<string[]>().notNull(),
  /** The roles by the names of groups in lower case. */
  groupRoles: text("group_roles", { mode: "json" }).$type<Record<string, Role>>().notNull(),
});

/** The people that a tenant's provider manages. They belong to this tenant only, and are active while they are members. */
export const managedPeople = sqliteTable(
  "managed_people",
  {
    personId: text("person_id")
      .primaryKey()
      .references(() => people.id, { onDelete: "cascade" }),
    tenantId: tenantId(),
    userName: text("user_name").notNull(),
    /** The user name in lower case, because it is compared without case. */
    userKey: text("user_key").notNull(),
    externalId: text("external_id").notNull(),
    /** The provider's id of the person. Null until the first sign-in. */
    subject: text("subject"),
    /** The address in lower case, or empty. */
    email: text("email").notNull(),
    givenName: text("given_name").notNull(),
    familyName: text("family_name").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    changedAtMs: integer("changed_at_ms").notNull(),
  },
  (table) => [
    uniqueIndex("managed_people_by_name").on(table.tenantId, table.userKey),
    uniqueIndex("managed_people_by_subject").on(table.tenantId, table.subject),
  ],
);

export const scimGroups = sqliteTable(
  "scim_groups",
  {
    id: text("id").primaryKey(),
    tenantId: tenantId(),
    name: text("name").notNull(),
    /** The name in lower case. */
    nameKey: text("name_key").notNull(),
    externalId: text("external_id").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    changedAtMs: integer("changed_at_ms").notNull(),
  },
  (table) => [uniqueIndex("scim_groups_by_name").on(table.tenantId, table.nameKey)],
);

export const scimGroupMembers = sqliteTable(
  "scim_group_members",
  {
    groupId: text("group_id")
      .notNull()
      .references(() => scimGroups.id, { onDelete: "cascade" }),
    personId: personId(),
  },
  (table) => [
    primaryKey({ columns: [table.groupId, table.personId] }),
    index("scim_group_members_by_person").on(table.personId),
  ],
);

export type SsoRow = typeof tenantSso.$inferSelect;
export type ManagedRow = typeof managedPeople.$inferSelect;
export type GroupRow = typeof scimGroups.$inferSelect;
