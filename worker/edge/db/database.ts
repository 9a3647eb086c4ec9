// Writes to D1: a single statement, or an atomic batch.
import { and, type Column, getTableColumns, gte, lt, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { BaseSQLiteDatabase, SQLiteTable } from "drizzle-orm/sqlite-core";

/** Any asynchronous SQLite: D1, or another in tests. */
export interface Database extends BaseSQLiteDatabase<"async", unknown> {
  /** Returns the results in the order of the statements. */
  batch(statements: readonly [BatchItem<"sqlite">, ...BatchItem<"sqlite">[]]): Promise<readonly unknown[]>;
}

type Values<T extends SQLiteTable> = { readonly [K in keyof T["$inferSelect"]]: T["$inferSelect"][K] | SQL };

/** Returns a SELECT of the row's values for an INSERT under a condition. */
export function rowWhere<T extends SQLiteTable>(table: T, row: Values<T>, condition: SQL): SQL {
  const rowValues: Readonly<Record<string, unknown>> = row;
  const values = Object.entries(getTableColumns(table)).map(([name, column]) => {
    const value = rowValues[name] ?? null;
    return value === null ? sql`NULL` : sql`${sql.param(value, column)}`;
  });
  return sql`SELECT ${sql.join(values, sql`, `)} WHERE ${condition}`;
}

/** Matches hex hashes by prefix. `LIKE` would not use the index, and D1 limits its patterns. */
export function beginsWith(column: Column, prefix: string): SQL | undefined {
  return and(gte(column, prefix), lt(column, `${prefix}~`));
}
