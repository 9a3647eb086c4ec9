// A directory on node:sqlite with the real migrations: the SQL that runs on D1.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { drizzle } from "drizzle-orm/sqlite-proxy";
import { idempotency } from "../../worker/edge/db/idempotency.ts";
import { directory } from "../../worker/edge/db/directory.ts";
import { planDirectory } from "../../worker/edge/db/plans.ts";
import { snapshotDirectory } from "../../worker/edge/db/snapshots.ts";
import { templateDirectory } from "../../worker/edge/db/templates.ts";

const migrations = join(import.meta.dirname, "../../migrations");

export function memoryDirectory() {
  const database = new DatabaseSync(":memory:");
  for (const name of readdirSync(migrations).sort()) {
    if (name.endsWith(".sql")) database.exec(readFileSync(join(migrations, name), "utf8"));
  }
  const db = drizzle(async (sql, values, method) => {
    const statement = database.prepare(sql);
    // drizzle hands over what SQLite can hold.
    const given = values as SQLInputValue[];
    if (method === "run") {
      statement.run(...given);
      return { rows: [] };
    }
    return { rows: statement.all(...given).map((row) => Object.values(row)) };
  });
  const addTenant = (id: string, keyHash: string) => {
    database.prepare("INSERT INTO tenants VALUES (?, ?, 0)").run(id, id);
    database.prepare("INSERT INTO api_keys VALUES (?, ?, 0)").run(keyHash, id);
  };
  const own = { plans: planDirectory(db), templates: templateDirectory(db) };
  return {
    directory: directory(db),
    snapshots: snapshotDirectory(db),
    repeats: idempotency(db),
    ...own,
    addTenant,
    database,
  };
}
