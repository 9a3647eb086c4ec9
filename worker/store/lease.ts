// A revocable handle of a database: after the lease ends, every statement through it throws.
import type { Sql } from "./sql.ts";

export interface Lease {
  readonly sql: Sql;
  /** Ends the lease. From now on each statement throws the result of `error`. */
  end(error: () => Error): void;
}

export function leaseOf(sql: Sql): Lease {
  let ended: (() => Error) | undefined;
  const checked = (): Sql => {
    if (ended) throw ended();
    return sql;
  };
  return {
    sql: {
      run: (query, ...params) => checked().run(query, ...params),
      all: (query, ...params) => checked().all(query, ...params),
      transaction: (body) => checked().transaction(body),
      rowsWritten: () => sql.rowsWritten(),
    },
    end: (error) => {
      ended = error;
    },
  };
}
