// Restores the tables of an object from the pages of a copy. Until the last page is stored, a marker keeps the object from being opened.
import { bytesOfBase64 } from "../../../shared/base/base64.ts";
import { type CopiedKind, copyVersion } from "../../../shared/contract/hosted/object-copy.ts";
import type { Sql, SqlValue } from "../sql.ts";
import { restoringTable } from "../versions.ts";
import { countRows, quoted, storedTables } from "./tables.ts";

/** Thrown if the pages are not a copy of an object of this kind, or not all of it. */
export class MalformedCopy extends Error {}

/** A statement of a copied schema. */
const schemaStatement = /^CREATE (?:(TABLE)|(?:UNIQUE )?INDEX|VIEW|TRIGGER)\s/i;

type Line = Readonly<Record<string, unknown>> | readonly unknown[];

export class CopyIn {
  readonly #sql: Sql;
  readonly #kind: CopiedKind;
  #schema: readonly string[] | undefined;
  /** The statement that inserts a row of the current table, and the number of its columns. */
  #insertion: { readonly statement: string; readonly columns: number } | undefined;
  #isComplete = false;

  /** Nothing may be stored before. */
  constructor(sql: Sql, kind: CopiedKind) {
    this.#sql = sql;
    this.#kind = kind;
    sql.run(`CREATE TABLE ${restoringTable} (at INTEGER)`);
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Stores a page of complete lines, or nothing of it. */
  receive(text: string): void {
    this.#sql.transaction(() => {
      for (const line of text.split("\n")) if (line !== "") this.#take(parsed(line));
    });
  }

  #take(line: Line): void {
    if (this.#isComplete) throw new MalformedCopy("there are lines after the end of the copy");
    if (isArray(line)) this.#insert(line);
    else if ("copy" in line) this.#begin(line);
    else if ("table" in line) this.#beginTable(line);
    else if ("rows" in line) this.#end(line["rows"]);
    else throw new MalformedCopy("a line is neither a header, a table, a row nor an end");
  }

  #begin({ copy, kind, schema }: Readonly<Record<string, unknown>>): void {
    if (this.#schema) throw new MalformedCopy("there is a second header");
    if (copy !== copyVersion) throw new MalformedCopy(`the format ${String(copy)} is not ${copyVersion}`);
    if (kind !== this.#kind) throw new MalformedCopy(`it is a copy of a ${String(kind)}, not of a ${this.#kind}`);
    if (!isTexts(schema) || !schema.every((statement) => schemaStatement.test(statement)))
      throw new MalformedCopy("the schema creates more than tables, indexes, views and triggers");
    this.#schema = schema;
    for (const statement of schema) if (isTable(statement)) this.#sql.run(statement);
  }

  #beginTable({ table, columns }: Readonly<Record<string, unknown>>): void {
    const stored = storedTables(this.#sql).find(({ name }) => name === table && name !== restoringTable);
    if (!stored || !isTexts(columns) || !columns.every((column) => stored.columns.includes(column)))
      throw new MalformedCopy(`the schema has no table ${String(table)} with these columns`);
    const values = columns.map(() => "?").join(", ");
    const statement = `INSERT INTO ${quoted(stored.name)} (${columns.map(quoted).join(", ")}) VALUES (${values})`;
    this.#insertion = { statement, columns: columns.length };
  }

  #insert(row: readonly unknown[]): void {
    if (row.length !== this.#insertion?.columns)
      throw new MalformedCopy("a row does not have the columns of its table");
    this.#sql.run(this.#insertion.statement, ...row.map(decodeValue));
  }

  #end(rows: unknown): void {
    if (!this.#schema || typeof rows !== "object" || rows === null) throw new MalformedCopy("the end has no counts");
    const expected = new Map(Object.entries(rows));
    for (const { name } of storedTables(this.#sql)) {
      if (name === restoringTable) continue;
      const count = countRows(this.#sql, name);
      if (expected.get(name) !== count)
        throw new MalformedCopy(`table ${name} has ${count} rows, not ${String(expected.get(name))}`);
    }
    for (const statement of this.#schema) if (!isTable(statement)) this.#sql.run(statement);
    this.#sql.run(`DROP TABLE ${restoringTable}`);
    this.#isComplete = true;
  }
}

function parsed(text: string): Line {
  try {
    const line: unknown = JSON.parse(text);
    // An object or an array is a record of unknown values.
    if (typeof line === "object" && line !== null) return line as Line;
  } catch {
    // The error below says what is wrong.
  }
  throw new MalformedCopy("a line is not JSON");
}

function isArray(line: Line): line is readonly unknown[] {
  return Array.isArray(line);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isTable(statement: string): boolean {
  return schemaStatement.exec(statement)?.[1] !== undefined;
}

function decodeValue(value: unknown): SqlValue {
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  if (typeof value === "object" && "bytes" in value && typeof value.bytes === "string")
    return bytesOfBase64(value.bytes);
  throw new MalformedCopy("a row has a value that no column can hold");
}
