// The version of the tables that an object stores: a number in the object itself, raised by migrations when the object is opened.
import { UnusableObjectError } from "../../shared/k8s/bounds/unusable-object.ts";
import { first, type Sql } from "./sql.ts";

/** A change of stored tables or stored values. Its number is its place in the list, counted from one. */
export interface Migration {
  /** For readers of the list. */
  readonly name: string;
  run(sql: Sql): void;
}

const table = "stored_version";

/** Returns the number that the object has; 0 if an older version of the service made it, which stored none. */
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
 * Runs the migrations that the object lacks, in order. Each is one transaction with its number, so an interrupted run goes on where it
 * ended. Throws `UnusableObjectError` and writes nothing if the object has a number above the last one.
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

/** Reports whether a table has a column. */
export function hasColumn(sql: Sql, name: string, column: string): boolean {
  return first(sql, "SELECT name FROM pragma_table_info(?) WHERE name = ?", name, column) !== undefined;
}
