// The store's SQLite in Node, for tests.
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Sql, SqlValue } from "../worker/store/sql.ts";

/** A database in memory, or in a file to close and open again. */
export function nodeSql(file = ":memory:"): Sql & { close(): void } {
  const database = new DatabaseSync(file);
  const statements = new Map<string, StatementSync>();
  let depth = 0;
  const prepare = (query: string): StatementSync => {
    const statement = statements.get(query) ?? database.prepare(query);
    statements.set(query, statement);
    return statement;
  };
  return {
    run: (query: string, ...params: SqlValue[]) => {
      prepare(query).run(...params);
    },
    all: <Row>(query: string, ...params: SqlValue[]) => prepare(query).all(...params) as Row[],
    transaction: <T>(body: () => T): T => {
      const name = `s${depth++}`;
      prepare(`SAVEPOINT ${name}`).run();
      try {
        const result = body();
        prepare(`RELEASE ${name}`).run();
        return result;
      } catch (error) {
        try {
          prepare(`ROLLBACK TO ${name}`).run();
          prepare(`RELEASE ${name}`).run();
        } catch {
          // SQLite has rolled back by itself, as it does where it is full.
        }
        throw error;
      } finally {
        depth--;
      }
    },
    // What triggers write counts too.
    rowsWritten: () => Number(prepare("SELECT total_changes() AS written").get()?.["written"]),
    close: () => database.close(),
  };
}
