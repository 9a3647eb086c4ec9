// The tables of D1 about LTI: the platforms that launch lessons, their learners, what was used up, and the keys of the tool.
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { JWK } from "jose";
import { tenants } from "./tenant-tables.ts";

const tenantId = () =>
  text("tenant_id")
    .notNull()
    .references(() => tenants.id, { onDelete: "cascade" });

export const ltiPlatforms = sqliteTable(
  "lti_platforms",
  {
    id: text("id").primaryKey(),
    tenantId: tenantId(),
    name: text("name").notNull(),
    issuer: text("issuer").notNull(),
    clientId: text("client_id").notNull(),
    authorizationUrl: text("authorization_url").notNull(),
    tokenUrl: text("token_url").notNull(),
    jwksUrl: text("jwks_url").notNull(),
    /** Who requests for tokens are for; empty: `tokenUrl`. */
    audience: text("audience").notNull(),
    /** Ids. */
    deployments: text("deployments", { mode: "json" }).$type<string[]>().notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
  },
  (table) => [uniqueIndex("lti_platforms_by_client").on(table.tenantId, table.issuer, table.clientId)],
);

export const ltiLearners = sqliteTable(
  "lti_learners",
  {
    platformId: text("platform_id")
      .notNull()
      .references(() => ltiPlatforms.id, { onDelete: "cascade" }),
    /** A resource link of the platform: one place in a course. */
    link: text("link").notNull(),
    /** As the platform calls the learner. */
    userId: text("user_id").notNull(),
    tenantId: tenantId(),
    lesson: text("lesson").notNull(),
    title: text("title").notNull(),
    /** Empty where the platform does not tell it. */
    name: text("name").notNull(),
    /** Where scores go, and where a line item for them can be made; empty: nowhere. */
    lineItem: text("line_item").notNull(),
    lineItems: text("line_items").notNull(),
    isCanvas: integer("is_canvas", { mode: "boolean" }).notNull(),
    /** The newest run; empty before the first. */
    run: text("run").notNull(),
    /** Of the best run. */
    points: integer("points").notNull(),
    maxPoints: integer("max_points").notNull(),
    isFinished: integer("is_finished", { mode: "boolean" }).notNull(),
    launchedAtMs: integer("launched_at_ms").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.platformId, table.link, table.userId] }),
    index("lti_learners_by_run").on(table.run),
    index("lti_learners_by_age").on(table.launchedAtMs),
    index("lti_learners_by_tenant").on(table.tenantId),
  ],
);

/** What is good for once: nonces of launches, and links by which platforms register. */
export const ltiUsed = sqliteTable(
  "lti_used",
  {
    /** SHA-256. */
    hash: text("hash").primaryKey(),
    expiresAtMs: integer("expires_at_ms").notNull(),
  },
  (table) => [index("lti_used_by_expiry").on(table.expiresAtMs)],
);

/** Each tenant's own: with another's a platform of one tenant could be spoken to in the name of a tool that it knows of another. */
export const ltiKeys = sqliteTable(
  "lti_keys",
  {
    kid: text("kid").primaryKey(),
    tenantId: tenantId(),
    publicJwk: text("public_jwk", { mode: "json" }).$type<JWK>().notNull(),
    /** The private half, enciphered. */
    sealed: text("sealed").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
  },
  (table) => [index("lti_keys_by_tenant").on(table.tenantId, table.createdAtMs)],
);

export type LtiPlatformRow = typeof ltiPlatforms.$inferSelect;
export type LtiLearnerRow = typeof ltiLearners.$inferSelect;
export type LtiKeyRow = typeof ltiKeys.$inferSelect;
