// The store's SQLite in a Durable Object.
import { refusingFull } from "../store/full.ts";
import type { Sql, SqlValue } from "../store/sql.ts";

/** `isShort`: what is there is kept for reading. */
export function durableSql(storage: DurableObjectStorage, isShort?: () => boolean): Sql {
  let written = 0;
  const sql: Sql = {
    run: (query: string, ...params: SqlValue[]) => {
      written += storage.sql.exec(query, ...params).rowsWritten;
    },
    // The rows have the columns that the query names.
    all: <Row>(query: string, ...params: SqlValue[]) => storage.sql.exec(query, ...params).toArray() as Row[],
    transaction: (body) => storage.transactionSync(body),
    rowsWritten: () => written,
  };
  return refusingFull(sql, isShort);
}
