// D1 as the edge writes to it: one statement, or several at once of which all count or none.
import { and, type Column, getTableColumns, gte, lt, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { BaseSQLiteDatabase, SQLiteTable } from "drizzle-orm/sqlite-core";

/** Any asynchronous SQLite: D1, or another in tests. */
export interface Database extends BaseSQLiteDatabase<"async", unknown> {
  /** The results in the order of the statements. */
  batch(statements: readonly [BatchItem<"sqlite">, ...BatchItem<"sqlite">[]]): Promise<readonly unknown[]>;
}

type Values<T extends SQLiteTable> = { readonly [K in keyof T["$inferSelect"]]: T["$inferSelect"][K] | SQL };

/** What an insert takes in place of values where a row is added only under a condition. */
export function rowWhere<T extends SQLiteTable>(table: T, row: Values<T>, condition: SQL): SQL {
  const given: Readonly<Record<string, unknown>> = row;
  const values = Object.entries(getTableColumns(table)).map(([name, column]) => {
    const value = given[name] ?? null;
    return value === null ? sql`NULL` : sql`${sql.param(value, column)}`;
  });
  return sql`SELECT ${sql.join(values, sql`, `)} WHERE ${condition}`;
}

/** Of hashes in hex; `LIKE` would not use their index, and D1 bounds its patterns. */
export function beginsWith(column: Column, prefix: string): SQL | undefined {
  return and(gte(column, prefix), lt(column, `${prefix}~`));
}
