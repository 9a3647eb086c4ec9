// Reads the schema of an object's tables, to compare a migrated object with a new one.
import type { Sql } from "../../worker/store/sql.ts";

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}

/** Returns the columns of each table and view, and the texts of views, triggers and indexes. Tables of the platform and of base files are left out: both come when they are needed. */
export function schemaOf(sql: Sql): Record<string, unknown> {
  const query =
    "SELECT name, type, sql FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' AND name <> 'base_file' AND sql IS NOT NULL ORDER BY name";
  const rows = sql.all<{ name: string; type: string; sql: string }>(query);
  return Object.fromEntries(
    rows.map(({ name, type, sql: text }) => [
      `${type} ${name}`,
      type === "table" ? columnsOf(sql, name) : spaced(text),
    ]),
  );
}

/** Returns the columns by name, because a column that was added later is last. */
function columnsOf(sql: Sql, table: string): Column[] {
  const columns = sql.all<Column & Record<string, never>>(
    'SELECT name, type, "notnull", pk FROM pragma_table_info(?)',
    table,
  );
  return columns.sort((a, b) => a.name.localeCompare(b.name));
}

function spaced(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

export type Rows = ReadonlyMap<string, readonly Record<string, unknown>[]>;

/** Returns the rows of each table that the service writes, in the order of their texts. */
export function rowsOf(sql: Sql): Rows {
  const query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'";
  const names = sql.all<{ name: string }>(query).map(({ name }) => name);
  const serviceTables = names.filter((name) => !/^sqlite_|^(?:d1_migrations|stored_version)$/.test(name));
  return new Map(serviceTables.map((name) => [name, sortedRows(sql.all(`SELECT * FROM "${name}"`))]));
}

/** Returns the rows with the columns that the earlier rows of their tables have, to show that a migration keeps all of them. */
export function withColumnsOf(earlier: Rows, rows: Rows): Rows {
  return new Map(
    [...earlier].map(([table, [first = {}]]) => {
      const names = Object.keys(first);
      const sharedColumns = (rows.get(table) ?? []).map((row) =>
        Object.fromEntries(names.map((name) => [name, row[name]])),
      );
      return [table, sortedRows(sharedColumns)];
    }),
  );
}

function sortedRows(rows: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  return [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
