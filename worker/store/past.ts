// What the log tells without its values: which keys were changed, and by whom.
import { type Cause, readCause } from "./cause.ts";
import type { Key } from "./index-by-owner.ts";
import type { Sql } from "./sql.ts";

/** A change, but for what was written. */
export interface PastWrite extends Key {
  readonly revision: number;
  /** The revision that it replaced. */
  readonly previous: number | undefined;
  readonly isDeletion: boolean;
  readonly cause: Cause;
  /** Milliseconds since 1970 on the cluster's clock; undefined if an older version wrote it. */
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

  /** Changes after a revision, the oldest first. */
  after(revision: number, limit: number): readonly PastWrite[] {
    const query = `SELECT ${columns} FROM changes WHERE revision > ? ORDER BY revision LIMIT ?`;
    return this.#sql.all<Row>(query, revision, limit).map(writeOf);
  }

  /** Changes after one revision and before another, the newest first. */
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
