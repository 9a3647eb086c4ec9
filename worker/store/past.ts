// Reads the change log without values: keys, causes and times.
import { type Cause, readCause } from "./cause.ts";
import type { Key } from "./index-by-owner.ts";
import type { Sql } from "./sql.ts";

/** A change without its value. */
export interface PastWrite extends Key {
  readonly revision: number;
  /** The revision that this write replaced. */
  readonly previous: number | undefined;
  readonly isDeletion: boolean;
  readonly cause: Cause;
  /** Milliseconds since 1970 on the cluster's clock. Undefined if an older version wrote the row. */
  readonly atMs: number | undefined;
}

interface Row extends Key {
  readonly revision: number;
  readonly previous: number | null;
  readonly gone: number;
  readonly cause: string;
  readonly atMs: number | null;
}

const columns = "revision, resource, namespace, name, previous, value IS NULL AS gone, cause, at_ms AS atMs";

export class Past {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Returns changes after a revision, oldest first. */
  after(revision: number, limit: number): readonly PastWrite[] {
    const query = `SELECT ${columns} FROM changes WHERE revision > ? ORDER BY revision LIMIT ?`;
    return this.#sql.all<Row>(query, revision, limit).map(writeOf);
  }

  /** Returns changes between two revisions, newest first. */
  before(revision: number, after: number, limit: number): readonly PastWrite[] {
    const query = `SELECT ${columns} FROM changes WHERE revision < ? AND revision > ? ORDER BY revision DESC LIMIT ?`;
    return this.#sql.all<Row>(query, revision, after, limit).map(writeOf);
  }
}

function writeOf({ previous, gone, cause, atMs, ...row }: Row): PastWrite {
  return {
    ...row,
    previous: previous ?? undefined,
    isDeletion: gone === 1,
    cause: readCause(cause),
    atMs: atMs ?? undefined,
  };
}
