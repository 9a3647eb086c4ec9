// The tables of a tenant's object. They are created with the first sandbox, webhook or score.
import type { Sql } from "../store/sql.ts";
import { hasColumn, hasStoredTable, type Migration, migrate, writeVersion } from "../store/versions.ts";

const visits = `CREATE TABLE IF NOT EXISTS visits (
    id TEXT PRIMARY KEY, key TEXT NOT NULL, visitor TEXT NOT NULL, wish TEXT NOT NULL, address TEXT NOT NULL,
    user TEXT NOT NULL, groups TEXT NOT NULL) WITHOUT ROWID`;
const scores = `CREATE TABLE IF NOT EXISTS scores (
    platform TEXT NOT NULL, subject TEXT NOT NULL, mark TEXT NOT NULL, delivery TEXT NOT NULL, at_ms INTEGER NOT NULL,
    PRIMARY KEY (platform, subject)) WITHOUT ROWID`;
const events = `CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, body TEXT NOT NULL)`;
const reminders = `CREATE TABLE IF NOT EXISTS reminders (at_ms INTEGER PRIMARY KEY, tenant TEXT NOT NULL)`;

const statements = [
  // address and ticket are empty except for trials. gone_ms is null for live sandboxes; told has bits of the sent events: 1 ready, 2
  // expiring soon.
  `CREATE TABLE IF NOT EXISTS sandboxes (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL,
    gone_ms INTEGER, is_made INTEGER NOT NULL, told INTEGER NOT NULL, address TEXT NOT NULL, ticket TEXT NOT NULL,
    paused INTEGER NOT NULL DEFAULT 0, person TEXT NOT NULL DEFAULT '') WITHOUT ROWID`,
  // Sandboxes of visitors of embedded pages; a row is deleted with that of its sandbox. groups is a JSON list.
  visits,
  `CREATE TABLE IF NOT EXISTS usage (
    day TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, seconds REAL NOT NULL, awake_seconds REAL NOT NULL,
    requests INTEGER NOT NULL, rows_read INTEGER NOT NULL, rows_written INTEGER NOT NULL, bytes INTEGER NOT NULL,
    PRIMARY KEY (day, id)) WITHOUT ROWID`,
  // events is a JSON list; the secret is derived from the id and secret_version, which counts the rotations.
  `CREATE TABLE IF NOT EXISTS webhooks (
    id TEXT PRIMARY KEY, url TEXT NOT NULL, events TEXT NOT NULL, enabled INTEGER NOT NULL, created_ms INTEGER NOT NULL,
    secret_version INTEGER NOT NULL DEFAULT 0, rotated_ms INTEGER) WITHOUT ROWID`,
  // next_ms is null after delivery or the last attempt. The body is empty after a score was sent.
  `CREATE TABLE IF NOT EXISTS deliveries (
    id TEXT PRIMARY KEY, webhook TEXT NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL,
    attempts INTEGER NOT NULL, created_ms INTEGER NOT NULL, next_ms INTEGER, status INTEGER, error TEXT) WITHOUT ROWID`,
  // The newest LTI score of each learner in one place. delivery is the one that sends it; mark identifies the score.
  scores,
  // The newest events, by their number since the tenant began.
  events,
  // The ends of exams.
  reminders,
  `CREATE INDEX IF NOT EXISTS deliveries_by_webhook ON deliveries (webhook, created_ms)`,
  `CREATE INDEX IF NOT EXISTS deliveries_by_time ON deliveries (next_ms) WHERE next_ms IS NOT NULL`,
];

/** The migrations of the stored tables, under the rules of `store/tables.ts`. */
export const tenantMigrations: readonly Migration[] = [
  {
    name: "add the address and ticket of trials",
    run: (sql) => {
      for (const column of ["address", "ticket"]) {
        if (hasColumn(sql, "sandboxes", column)) continue;
        sql.run(`ALTER TABLE sandboxes ADD COLUMN ${column} TEXT NOT NULL DEFAULT ''`);
      }
    },
  },
  { name: "add visits", run: (sql) => sql.run(visits) },
  { name: "add scores", run: (sql) => sql.run(scores) },
  {
    name: "add recorded events, and paused sandboxes",
    run: (sql) => {
      sql.run(events);
      if (!hasColumn(sql, "sandboxes", "paused"))
        sql.run("ALTER TABLE sandboxes ADD COLUMN paused INTEGER NOT NULL DEFAULT 0");
    },
  },
  {
    name: "add the versions of webhooks' secrets",
    run: (sql) => {
      if (hasColumn(sql, "webhooks", "secret_version")) return;
      sql.run("ALTER TABLE webhooks ADD COLUMN secret_version INTEGER NOT NULL DEFAULT 0");
      sql.run("ALTER TABLE webhooks ADD COLUMN rotated_ms INTEGER");
    },
  },
  {
    name: "add the persons who created sandboxes",
    run: (sql) => {
      if (!hasColumn(sql, "sandboxes", "person"))
        sql.run("ALTER TABLE sandboxes ADD COLUMN person TEXT NOT NULL DEFAULT ''");
    },
  },
  { name: "add the reminders of exams", run: (sql) => sql.run(reminders) },
];

/** Creates the tables of a new tenant, or migrates existing ones. */
export function createTenantTables(sql: Sql): void {
  if (hasTenantTables(sql)) return upgradeTenantTables(sql);
  for (const statement of statements) sql.run(statement);
  writeVersion(sql, tenantMigrations.length);
}

/** Migrates the tables of an existing tenant. Throws `UnusableObjectError` if a newer version wrote them. */
export function upgradeTenantTables(sql: Sql): void {
  migrate(sql, tenantMigrations);
}

export function hasTenantTables(sql: Sql): boolean {
  return hasStoredTable(sql, "deliveries");
}
