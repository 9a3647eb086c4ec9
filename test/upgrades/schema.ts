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
