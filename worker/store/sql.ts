// The SQLite that a store stands on: the platform's in a Durable Object, node:sqlite in tests. Both are synchronous.

/** Bytes come back as `Uint8Array` or `ArrayBuffer`: `new Uint8Array` takes both. */
export type SqlValue = string | number | null | Uint8Array<ArrayBuffer>;
export type SqlRow = Record<string, SqlValue>;

export interface Sql {
  /** Runs one statement for its effect. */
  run(query: string, ...params: SqlValue[]): void;
  /** All rows of a query; callers bound their number. */
  all<Row = SqlRow>(query: string, ...params: SqlValue[]): Row[];
  /** All statements of `body` or none. May be nested. */
  transaction<T>(body: () => T): T;
  /** Rows written since the start, as the platform bills them (an index row counts, a deleted row too). */
  rowsWritten(): number;
}

/** The first row, if any. */
export function first<Row = SqlRow>(sql: Sql, query: string, ...params: SqlValue[]): Row | undefined {
  return sql.all<Row>(query, ...params)[0];
}
