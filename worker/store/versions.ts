// The version of the stored tables: a number in the Durable Object, raised by migrations when the object is opened.
import { UnusableObjectError } from "../../shared/k8s/bounds/unusable-object.ts";
import { first, type Sql } from "./sql.ts";

/** A change of stored tables or stored values. Its number is its position in the list, starting at one. */
export interface Migration {
  /** A description for readers of the list. */
  readonly name: string;
  run(sql: Sql): void;
}

const table = "stored_version";
/** A table that exists while a copy is being restored. */
export const restoringTable = "restoring";

/** Reports whether there is a table, and no restore that was not completed. */
export function hasStoredTable(sql: Sql, name: string): boolean {
  const query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN (?, ?)";
  const tables = sql.all<{ name: string }>(query, name, restoringTable);
  return tables.length === 1 && tables[0]?.name === name;
}

/** Returns the stored version; 0 if a version of the service without numbers created the tables. */
export function readVersion(sql: Sql): number {
  if (first(sql, "SELECT name FROM sqlite_master WHERE name = ?", table) === undefined) return 0;
  return first<{ number: number }>(sql, `SELECT number FROM ${table}`)?.number ?? 0;
}

export function writeVersion(sql: Sql, number: number): void {
  sql.run(`CREATE TABLE IF NOT EXISTS ${table} (number INTEGER NOT NULL)`);
  sql.run(`DELETE FROM ${table}`);
  sql.run(`INSERT INTO ${table} (number) VALUES (?)`, number);
}

/**
 * Runs the missing migrations in order. Each runs in one transaction with its number, so an interrupted run continues where it stopped. If
 * the stored number is above the last migration, it throws `UnusableObjectError` and writes nothing.
 */
export function migrate(sql: Sql, migrations: readonly Migration[]): void {
  const before = readVersion(sql);
  if (before > migrations.length) throw UnusableObjectError.newer(before, migrations.length);
  for (const [at, migration] of migrations.entries()) {
    if (at < before) continue;
    sql.transaction(() => {
      migration.run(sql);
      writeVersion(sql, at + 1);
    });
  }
}

export function hasColumn(sql: Sql, name: string, column: string): boolean {
  return first(sql, "SELECT name FROM pragma_table_info(?) WHERE name = ?", name, column) !== undefined;
}
