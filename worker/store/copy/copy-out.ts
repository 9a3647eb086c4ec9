// Copies all tables of an object as pages of lines, as they were at one moment. The constructor reads everything except the rows of a log,
// which never change and are read page by page.
import { base64Of } from "../../../shared/base/base64.ts";
import { copyLimits } from "../../../shared/base/share-limits.ts";
import { type CopiedKind, copyVersion } from "../../../shared/contract/hosted/object-copy.ts";
import type { Sql, SqlValue } from "../sql.ts";
import { quoted, rowsOf, storedSchema, storedTables, type StoredTable } from "./tables.ts";

/** A table whose rows up to a number are neither changed nor deleted during the copy. */
export interface CopiedLog {
  readonly table: string;
  /** The column with the number of a row, at least 0. */
  readonly key: string;
  /** The column that holds most of the bytes of a row. */
  readonly content: string;
  readonly upTo: number;
}

/** Thrown if the rows that must be read in one turn do not fit in memory. */
export class CopyTooLarge extends Error {}

export class CopyOut {
  readonly #sql: Sql;
  readonly #counts: Record<string, number> = {};
  readonly #pages: Iterator<string>;
  #isEnded = false;

  constructor(sql: Sql, kind: CopiedKind, log?: CopiedLog) {
    this.#sql = sql;
    const tables = storedTables(sql);
    const logTable = tables.find(({ name }) => name === log?.table);
    const held = [JSON.stringify({ copy: copyVersion, kind, schema: storedSchema(sql) })];
    let characters = 0;
    for (const table of tables.filter((candidate) => candidate !== logTable)) {
      for (const line of this.#linesOf(table, rowsOf(sql, table, copyLimits.rows))) {
        held.push(line);
        characters += line.length;
        if (characters > copyLimits.heldCharacters)
          throw new CopyTooLarge(`more than ${copyLimits.heldCharacters} characters are stored beside the change log`);
      }
    }
    this.#pages = pagesOf(this.#lines(held, log, logTable));
  }

  /** Returns the next page. It is the last one if it contains the end of the copy. */
  next(): { readonly text: string; readonly isLast: boolean } {
    const page = this.#pages.next();
    return { text: page.done ? "" : page.value, isLast: this.#isEnded };
  }

  *#lines(held: string[], log: CopiedLog | undefined, logTable: StoredTable | undefined): Generator<string> {
    yield* held;
    held.length = 0;
    if (log && logTable) yield* this.#linesOf(logTable, this.#logRows(log, logTable));
    this.#isEnded = true;
    yield JSON.stringify({ rows: this.#counts });
  }

  *#linesOf({ name, columns }: StoredTable, rows: Iterable<readonly SqlValue[]>): Generator<string> {
    yield JSON.stringify({ table: name, columns });
    let count = 0;
    for (const row of rows) {
      count++;
      yield JSON.stringify(row.map(encodeValue));
    }
    this.#counts[name] = count;
  }

  *#logRows(log: CopiedLog, { columns }: StoredTable): Generator<readonly SqlValue[]> {
    const selected = columns.map((column, at) => `${quoted(column)} AS c${at}`).join(", ");
    const [table, key] = [quoted(log.table), quoted(log.key)];
    const query = `SELECT ${selected} FROM ${table} WHERE ${key} > ? AND ${key} <= ? ORDER BY ${key}`;
    let after = -1;
    for (let end = this.#portionEnd(log, after); end !== undefined; end = this.#portionEnd(log, after)) {
      for (const row of this.#sql.all<Record<string, SqlValue>>(query, after, end)) yield Object.values(row);
      after = end;
    }
  }

  /** Returns the number of the last row of the next portion, which has about the bytes of a page; undefined at the end. */
  #portionEnd({ table, key, content, upTo }: CopiedLog, after: number): number | undefined {
    const query = `SELECT ${quoted(key)} AS at, IFNULL(OCTET_LENGTH(${quoted(content)}), 0) AS bytes FROM ${quoted(table)}
      WHERE ${quoted(key)} > ? AND ${quoted(key)} <= ? ORDER BY ${quoted(key)} LIMIT ?`;
    const sizes = this.#sql.all<{ at: number; bytes: number }>(query, after, upTo, copyLimits.rows);
    let bytes = 0;
    const last = sizes.find((size) => (bytes += size.bytes) >= copyLimits.pageCharacters);
    return (last ?? sizes.at(-1))?.at;
  }
}

function* pagesOf(lines: Iterable<string>): Generator<string> {
  let page: string[] = [];
  let characters = 0;
  for (const line of lines) {
    page.push(line);
    characters += line.length + 1;
    if (characters < copyLimits.pageCharacters) continue;
    yield `${page.join("\n")}\n`;
    page = [];
    characters = 0;
  }
  if (page.length > 0) yield `${page.join("\n")}\n`;
}

function encodeValue(value: SqlValue): unknown {
  if (value === null || typeof value !== "object") return value;
  return { bytes: base64Of(new Uint8Array(value)) };
}
