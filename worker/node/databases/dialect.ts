// What a database server is asked and answers, and what its dialect of SQL has to say of it.
import type { Cell, Rows, SqlError } from "../wasm/sql.ts";
import type { Change, Data } from "./data.ts";

/** What a client sends. */
export interface Asked {
  readonly user: string;
  readonly password: string | undefined;
  /** "" for none. */
  readonly database: string;
  /** One statement; "" only connects. */
  readonly sql: string;
}

export type Reply =
  | { readonly kind: "refused"; readonly code: string; readonly message: string }
  | {
      readonly kind: "error";
      readonly code: string;
      readonly message: string;
      readonly detail?: string;
      readonly place?: number;
    }
  | { readonly kind: "rows"; readonly columns: readonly string[]; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: "done"; readonly tag: string; readonly changes: number };

/** What a dialect makes of a statement: an answer of its own, or what SQLite is to run. */
export type Meant =
  | { readonly reply: Reply; readonly lines?: readonly Change[] }
  | { readonly sql: string; readonly tag: string; readonly changes: boolean };

export interface Context extends Asked {
  readonly data: Data;
  readonly nowMs: number;
  readonly version: string;
  /** The visitor's address. */
  readonly from: string;
  /** Runs a statement on the database, as it is. */
  read(sql: string): readonly Rows[] | SqlError;
}

export interface Dialect {
  /** Why somebody is not let in. */
  refusal(context: Context): Reply | undefined;
  meaning(context: Context): Meant;
  /** A failure in the server's words. */
  failure(error: string, context: Context): Reply;
}
