// The SQLite under a store: the platform's in a Durable Object, `node:sqlite` in tests. Both are synchronous.

/** SQLite returns bytes as `Uint8Array` or `ArrayBuffer`; `new Uint8Array` accepts both. */
export type SqlValue = string | number | null | Uint8Array<ArrayBuffer>;
export type SqlRow = Record<string, SqlValue>;

export interface Sql {
  /** Runs a statement that returns no rows. */
  run(query: string, ...params: SqlValue[]): void;
  /** Returns all rows of a query. Callers bound their number. */
  all<Row = SqlRow>(query: string, ...params: SqlValue[]): Row[];
  /** Runs all statements of `body` or none. May be nested. */
  transaction<T>(body: () => T): T;
  /** The rows written since the start, as the platform bills them. Index rows and deleted rows count. */
  rowsWritten(): number;
}

/** Returns the first row of a query, if any. */
export function first<Row = SqlRow>(sql: Sql, query: string, ...params: SqlValue[]): Row | undefined {
  return sql.all<Row>(query, ...params)[0];
}
