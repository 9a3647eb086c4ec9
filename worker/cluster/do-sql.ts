// The store's SQLite in a Durable Object.
import { refusingFull } from "../store/full.ts";
import type { Sql, SqlValue } from "../store/sql.ts";

export interface DurableSql extends Sql {
  /** Rows read since the start, as the platform bills them. */
  rowsRead(): number;
}

/** `isShort`: what is there is kept for reading. */
export function durableSql(storage: DurableObjectStorage, isShort?: () => boolean): DurableSql {
  let written = 0;
  let read = 0;
  const sql: Sql = {
    run: (query: string, ...params: SqlValue[]) => {
      const cursor = storage.sql.exec(query, ...params);
      written += cursor.rowsWritten;
      read += cursor.rowsRead;
    },
    // The rows have the columns that the query names.
    all: <Row>(query: string, ...params: SqlValue[]) => {
      const cursor = storage.sql.exec(query, ...params);
      const rows = cursor.toArray() as Row[];
      read += cursor.rowsRead;
      return rows;
    },
    transaction: (body) => storage.transactionSync(body),
    rowsWritten: () => written,
  };
  return { ...refusingFull(sql, isShort), rowsRead: () => read };
}
