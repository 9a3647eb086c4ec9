// A database for as long as it is what its holder takes it for: from then on who still holds it is refused.
import type { Sql } from "./sql.ts";

export interface Lease {
  readonly sql: Sql;
  /** Each use throws what `error` makes, from now on. */
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
