// What a database server is asked and answers, and what its dialect of SQL has to say of it.
import type { Cell, Rows, SqlError } from "../wasm/sql.ts";
import type { Change, Data } from "./data.ts";
import type { Transaction } from "./transactions.ts";

/** What a client sends. */
export interface SqlRequest {
  readonly user: string;
  readonly password: string | undefined;
  /** "" for none. */
  readonly database: string;
  /** One statement; "" only connects. */
  readonly sql: string;
  /** The one that the session is in. */
  readonly transaction?: Transaction;
}

export type Reply = (
  | { readonly kind: "refused"; readonly code: string; readonly message: string }
  | Failure
  | { readonly kind: "rows"; readonly columns: readonly string[]; readonly rows: readonly (readonly Cell[])[] }
  | {
      readonly kind: "done";
      readonly tag: string;
      readonly changes: number;
      /** A warning beside it. */
      readonly notice?: string;
    }
) & {
  /** The one that the session is in now. */
  readonly transaction?: Transaction;
};

export interface Failure {
  readonly kind: "error";
  readonly code: string;
  readonly message: string;
  readonly detail?: string;
  /** Where in the statement, in letters. */
  readonly place?: number;
}

/** What a dialect makes of a statement: an answer of its own, or what SQLite is to run. */
export type Meant =
  | { readonly reply: Reply; readonly lines?: readonly Change[] }
  | { readonly sql: string; readonly tag: string; readonly changes: boolean; readonly lines?: readonly Change[] };

export interface Context extends SqlRequest {
  readonly data: Data;
  readonly nowMs: number;
  readonly version: string;
  /** The visitor's address. */
  readonly from: string;
  /** Runs a statement on the database, as it is in the session's transaction. */
  read(sql: string): readonly Rows[] | SqlError;
}

export interface Dialect {
  /** The database that a statement is about: the session's, or one that it names. */
  databaseOf(asked: SqlRequest, data: Data): string;
  /** Why somebody is not let in. */
  refusal(context: Context): Reply | undefined;
  meaning(context: Context): Meant;
  /** A failure in the server's words. */
  failure(error: string, context: Context): Reply;
  readonly transactions: {
    /** A statement that fails leaves its transaction nothing but to end. */
    readonly failsWhole: boolean;
    /** Whether a statement commits what was before it. */
    commitsFirst(sql: string): boolean;
    /** A savepoint that is not there; `isInside`: of a transaction. */
    missing(name: string, isInside: boolean): Failure;
    readonly full: Failure;
  };
}
