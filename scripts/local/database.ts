// The local D1: applies each migration once, in order, recorded in the same table as wrangler's, and stores the key of the local tenant.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "./refusal.ts";

/** The methods of a D1 database that this file needs. */
export interface LocalDatabase {
  prepare(sql: string): LocalStatement;
  batch(statements: LocalStatement[]): Promise<unknown>;
}

export interface LocalStatement {
  bind(...values: unknown[]): LocalStatement;
  all(): Promise<{ results: Record<string, unknown>[] }>;
  run(): Promise<unknown>;
}

const bookkeeping = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;

/** Applies migrations. Throws a `Refusal` and changes nothing if a newer version of the service has migrated the database. */
export async function migrate(database: LocalDatabase, folder: string): Promise<void> {
  await database.prepare(bookkeeping).run();
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all();
  const applied = new Set(results.map(({ name }) => name));
  const all = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  const newest = [...applied].map(String).sort().at(-1) ?? "";
  if (numberOf(newest) > numberOf(all.at(-1) ?? "")) {
    const versions = `migration ${newest}, and this version has migrations up to ${all.at(-1)}`;
    const advice = "nothing was changed: run the newer version again, or set SANDBAR_DATA to another folder";
    throw new Refusal(`A newer version of Sandbar wrote the data folder: its database has ${versions}; ${advice}.`);
  }
  for (const name of all.filter((migration) => !applied.has(migration))) {
    const statements = readFileSync(join(folder, name), "utf8").split("--> statement-breakpoint");
    await database.batch([
      ...statements.map((sql) => database.prepare(sql.trim())),
      database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
    ]);
  }
}

/** Returns the number of a migration: 12 for `0012_classes.sql`. */
function numberOf(name: string): number {
  return Number(/^\d+/.exec(name)?.[0] ?? -1);
}

/** Creates the tenant of this machine with a key. */
export async function ensureLocalTenant(database: LocalDatabase, keyHash: string, nowMs: number): Promise<void> {
  await database.batch([
    database
      .prepare("INSERT OR IGNORE INTO tenants (id, name, created_at_ms) VALUES ('local', 'local', ?)")
      .bind(nowMs),
    database
      .prepare("INSERT OR IGNORE INTO api_keys (hash, tenant_id, created_at_ms) VALUES (?, 'local', ?)")
      .bind(keyHash, nowMs),
  ]);
}
