// The store's SQLite in a Durable Object.
import type { Sql, SqlValue } from "../store/sql.ts";

export function durableSql(storage: DurableObjectStorage): Sql {
  let written = 0;
  return {
    run: (query: string, ...params: SqlValue[]) => {
      written += storage.sql.exec(query, ...params).rowsWritten;
    },
    // The rows have the columns that the query names.
    all: <Row>(query: string, ...params: SqlValue[]) => storage.sql.exec(query, ...params).toArray() as Row[],
    transaction: (body) => storage.transactionSync(body),
    rowsWritten: () => written,
  };
}
