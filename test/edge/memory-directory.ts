// A directory on node:sqlite with the real migrations: the SQL that runs on D1.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { drizzle } from "drizzle-orm/sqlite-proxy";
import { type AuditContext, unaudited } from "../../worker/edge/db/audit.ts";
import { directories } from "../../worker/edge/db/directories.ts";
import { idempotency } from "../../worker/edge/db/idempotency.ts";

const schema = migrated(join(import.meta.dirname, "../../migrations"));

/** Returns the schema that all migrations produce as one SQL text, because running each migration for every test is slow. */
function migrated(folder: string): string {
  const database = new DatabaseSync(":memory:");
  for (const name of readdirSync(folder).sort()) {
    if (name.endsWith(".sql")) database.exec(readFileSync(join(folder, name), "utf8"));
  }
  const schemaObjects = database.prepare("SELECT name, type, sql FROM sqlite_master WHERE sql IS NOT NULL").all();
  for (const { name, type } of schemaObjects) {
    const isEmpty = type !== "table" || !database.prepare(`SELECT 1 FROM ${String(name)}`).get();
    if (!isEmpty) throw new Error(`a migration writes rows of ${String(name)}, which the schema leaves out`);
  }
  database.close();
  return schemaObjects.map(({ sql }) => String(sql)).join(";\n");
}

export function memoryDirectory() {
  const database = new DatabaseSync(":memory:");
  database.exec(schema);
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    // Columns of joined tables have the same names.
    statement.setReturnArrays(true);
    return statement;
  };
  const run = ({ sql, params, method }: { sql: string; params: unknown[]; method: string }) => {
    const statement = prepared(sql);
    // drizzle hands over what SQLite can hold.
    const sqlParameters = params as SQLInputValue[];
    if (method !== "run") return { rows: statement.all(...sqlParameters) as unknown as unknown[][] };
    statement.run(...sqlParameters);
    return { rows: [] };
  };
  const db = drizzle(
    async (sql, params, method) => run({ sql, params, method }),
    async (batch) => {
      database.exec("BEGIN");
      try {
        const results = batch.map(run);
        database.exec("COMMIT");
        return results;
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
  );
  const addTenant = (id: string, keyHash: string) => {
    database.prepare("INSERT INTO tenants (id, name, created_at_ms) VALUES (?, ?, 0)").run(id, id);
    database.prepare("INSERT INTO api_keys (hash, tenant_id, created_at_ms) VALUES (?, ?, 0)").run(keyHash, id);
  };
  const auditing = (context: AuditContext) => directories(db, context);
  return { ...directories(db, unaudited), auditing, repeats: idempotency(db), addTenant, database, db };
}
