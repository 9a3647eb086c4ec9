// The tables of LTI: the platforms that launch lessons, their learners, used nonces, and the keys of the tool.
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
    /** The audience of token requests; empty for `tokenUrl`. */
    audience: text("audience").notNull(),
    /** The ids of the deployments. */
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
    /** The platform's resource link: one place in a course. */
    link: text("link").notNull(),
    /** The platform's id of the learner. */
    userId: text("user_id").notNull(),
    tenantId: tenantId(),
    lesson: text("lesson").notNull(),
    title: text("title").notNull(),
    /** The learner's name, or empty if the platform does not send it. */
    name: text("name").notNull(),
    /** The line item that receives scores, and the URL at which one can be created; empty if there is none. */
    lineItem: text("line_item").notNull(),
    lineItems: text("line_items").notNull(),
    isCanvas: integer("is_canvas", { mode: "boolean" }).notNull(),
    /** The newest run; empty before the first. */
    run: text("run").notNull(),
    /** The points of the best run. */
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

/** Values that can be used once: nonces of launches, and registration links. */
export const ltiUsed = sqliteTable(
  "lti_used",
  {
    /** The SHA-256 of the value. */
    hash: text("hash").primaryKey(),
    expiresAtMs: integer("expires_at_ms").notNull(),
  },
  (table) => [index("lti_used_by_expiry").on(table.expiresAtMs)],
);

/**
 * The keys of the tool, separate for each tenant. With a shared key, one tenant's platform could impersonate the tool of another tenant.
 */
export const ltiKeys = sqliteTable(
  "lti_keys",
  {
    kid: text("kid").primaryKey(),
    tenantId: tenantId(),
    publicJwk: text("public_jwk", { mode: "json" }).$type<JWK>().notNull(),
    /** The encrypted private key. */
    sealed: text("sealed").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
  },
  (table) => [index("lti_keys_by_tenant").on(table.tenantId, table.createdAtMs)],
);

export type LtiPlatformRow = typeof ltiPlatforms.$inferSelect;
export type LtiLearnerRow = typeof ltiLearners.$inferSelect;
export type LtiKeyRow = typeof ltiKeys.$inferSelect;
