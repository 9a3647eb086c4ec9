// The tables of an object as a copy has them.
import { type Sql, type SqlValue, first } from "../sql.ts";

export interface StoredTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key, or `rowid`. */
  readonly keys: readonly string[];
}

/** Names that begin with an underscore belong to the platform. */
const ownNames = "substr(name, 1, 1) <> '_' AND substr(name, 1, 7) <> 'sqlite_'";

export function storedTables(sql: Sql): StoredTable[] {
  const names = sql.all<{ name: string }>(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND ${ownNames} ORDER BY name`,
  );
  return names.map(({ name }) => tableOf(sql, name));
}

function tableOf(sql: Sql, name: string): StoredTable {
  const columns = sql.all<{ name: string; pk: number }>("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid", name);
  const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  return {
    name,
    columns: columns.map((column) => column.name),
    keys: keys.length > 0 ? keys.map((key) => key.name) : ["rowid"],
  };
}

/** Returns the statements of the schema: tables first, and triggers after their views. */
export function storedSchema(sql: Sql): string[] {
  const order = "CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 WHEN 'view' THEN 2 ELSE 3 END";
  const query = `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND ${ownNames} ORDER BY ${order}, name`;
  return sql.all<{ sql: string }>(query).map((row) => row.sql);
}

export function countRows(sql: Sql, table: string): number {
  return first<{ rows: number }>(sql, `SELECT count(*) AS rows FROM ${quoted(table)}`)?.rows ?? 0;
}

/** Reads all rows of a table in the order of its key. */
export function* rowsOf(sql: Sql, { name, columns, keys }: StoredTable, page: number): Generator<readonly SqlValue[]> {
  const selected = [...columns, ...keys].map((column, at) => `${quoted(column)} AS c${at}`).join(", ");
  const order = keys.map(quoted).join(", ");
  const after = `WHERE (${order}) > (${keys.map(() => "?").join(", ")})`;
  let last: readonly SqlValue[] | undefined;
  for (;;) {
    const where = last ? after : "";
    const query = `SELECT ${selected} FROM ${quoted(name)} ${where} ORDER BY ${order} LIMIT ${page}`;
    const rows = sql.all<Record<string, SqlValue>>(query, ...(last ?? [])).map((row) => Object.values(row));
    for (const row of rows) yield row.slice(0, columns.length);
    last = rows.at(-1)?.slice(columns.length);
    if (rows.length < page || !last) return;
  }
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns the revision of the newest change; 0 if there is none. */
export function newestRevision(sql: Sql): number {
  return first<{ revision: number | null }>(sql, "SELECT MAX(revision) AS revision FROM changes")?.revision ?? 0;
}
