// D1 as directories see it. They run their reads themselves; their writes are statements, which only the functions of `audit.ts` run.
import { and, type Column, getTableColumns, gte, lt, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { BaseSQLiteDatabase, SQLiteTable } from "drizzle-orm/sqlite-core";

/** Any asynchronous SQLite: D1, or another in tests. */
export interface WritableDatabase extends BaseSQLiteDatabase<"async", unknown> {
  /** Returns the results in the order of the statements. */
  batch(statements: readonly [BatchItem<"sqlite">, ...BatchItem<"sqlite">[]]): Promise<readonly unknown[]>;
}

type Writes = "insert" | "update" | "delete";
type Runs = "run" | "all" | "get" | "values" | "batch" | "transaction";

/** A database without its writes. Without an audit note, or the reason why there is none, a change does not compile. */
export type Database = Omit<WritableDatabase, Writes | Runs>;

declare const resultOf: unique symbol;

/** A statement that changes rows. It cannot be awaited. */
export interface Statement<Result = unknown> {
  readonly [resultOf]: Result;
}

export type StatementBuilder<Result> = (write: Pick<WritableDatabase, Writes>) => PromiseLike<Result>;

/** Builds a statement. The functions of `audit.ts` run it. */
export function statement<Result>(db: Database, build: StatementBuilder<Result>): Statement<Result> {
  // Every database is writable at run time, and drizzle's statements run only when they are awaited.
  return build(db as WritableDatabase) as unknown as Statement<Result>;
}

/** Runs statements in one atomic batch. Returns the results in their order. Only for `audit.ts`. */
export async function runStatements(db: Database, statements: readonly Statement[]): Promise<readonly unknown[]> {
  // `statement` built them.
  const items = statements as readonly unknown[] as readonly (BatchItem<"sqlite"> & PromiseLike<unknown>)[];
  const [first, ...others] = items;
  if (!first) return [];
  if (others.length === 0) return [await first];
  return (db as WritableDatabase).batch([first, ...others]);
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
