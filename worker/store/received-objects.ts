// The objects of an import while it arrives: rows in the order in which they are written later. Memory holds a page of them at most.
import { first, type Sql } from "./sql.ts";

export interface ReceivedObject {
  /** The rank of the object's kind. Lower ranks are written first, and equal ranks in the order of arrival. */
  readonly rank: number;
  /** The UID; "" if there is none. */
  readonly uid: string;
  /** The object as JSON. */
  readonly text: string;
}

/** The number of objects of one rank, which is more than an import has. */
const ranked = 2 ** 32;
const pageObjects = 50;

export class ReceivedObjects {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  add(objects: readonly ReceivedObject[]): void {
    const sql = this.#sql;
    sql.transaction(() => {
      sql.run("CREATE TABLE IF NOT EXISTS received (place INTEGER PRIMARY KEY, uid TEXT NOT NULL, text TEXT NOT NULL)");
      let count = this.count();
      for (const { rank, uid, text } of objects)
        sql.run("INSERT INTO received (place, uid, text) VALUES (?, ?, ?)", rank * ranked + count++, uid, text);
    });
  }

  count(): number {
    return first<{ count: number }>(this.#sql, "SELECT count(*) AS count FROM received")?.count ?? 0;
  }

  uids(): string[] {
    return this.#sql.all<{ uid: string }>("SELECT uid FROM received WHERE uid <> ''").map(({ uid }) => uid);
  }

  /** Yields the texts. Between two of them, others may write. */
  *texts(): Generator<string> {
    for (let place = -1; ; ) {
      const query = "SELECT place, text FROM received WHERE place > ? ORDER BY place LIMIT ?";
      const page = this.#sql.all<{ place: number; text: string }>(query, place, pageObjects);
      for (const { text } of page) yield text;
      const last = page.at(-1);
      if (!last) return;
      place = last.place;
    }
  }

  remove(): void {
    this.#sql.run("DROP TABLE IF EXISTS received");
  }
}
