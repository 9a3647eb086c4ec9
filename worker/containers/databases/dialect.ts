// The requests and replies of a database server, and the interface of its SQL dialect.
import type { Cell, Rows, SqlError } from "../wasm/sql.ts";
import type { Change, Data } from "./data.ts";
import type { Transaction } from "./transactions.ts";

/** A client's request. */
export interface SqlRequest {
  readonly user: string;
  readonly password: string | undefined;
  /** The name of the database; empty for none. */
  readonly database: string;
  /** The statement; empty to connect only. */
  readonly sql: string;
  /** The session's transaction. */
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
      /** A warning beside the result. */
      readonly notice?: string;
    }
) & {
  /** The session's transaction after the statement. */
  readonly transaction?: Transaction;
};

export interface Failure {
  readonly kind: "error";
  readonly code: string;
  readonly message: string;
  readonly detail?: string;
  /** The position in the statement, in characters. */
  readonly place?: number;
}

/** A dialect's interpretation of a statement: its own reply, or the statement that SQLite runs. */
export type Meant =
  | { readonly reply: Reply; readonly lines?: readonly Change[] }
  | { readonly sql: string; readonly tag: string; readonly changes: boolean; readonly lines?: readonly Change[] };

export interface Context extends SqlRequest {
  readonly data: Data;
  readonly nowMs: number;
  readonly version: string;
  /** The client's address. */
  readonly from: string;
  /** Runs a statement on the database as it is in the session's transaction. */
  read(sql: string): readonly Rows[] | SqlError;
}

export interface Dialect {
  /** Returns the database of a statement: the session's, or one that the statement names. */
  databaseOf(request: SqlRequest, data: Data): string;
  /** Returns why a client is refused. */
  refusal(context: Context): Reply | undefined;
  meaning(context: Context): Meant;
  /** Formats a failure as the server does. */
  failure(error: string, context: Context): Reply;
  readonly transactions: {
    /** Whether a failed statement aborts its transaction, so that it can only be ended. */
    readonly failsWhole: boolean;
    /** Reports whether a statement commits the transaction before it. */
    commitsFirst(sql: string): boolean;
    /** Returns the failure for a missing savepoint. `isInside`: whether a transaction is open. */
    missing(name: string, isInside: boolean): Failure;
    readonly full: Failure;
  };
}
