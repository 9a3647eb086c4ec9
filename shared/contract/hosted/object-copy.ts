// The RPC interface by which the edge copies the tables of a Durable Object for a backup, and restores them.
//
// A copy consists of lines of JSON: a header (`CopyHeader`), for each table a `CopiedTable` with its rows as arrays after it, and a
// `CopyEnd`. Bytes are `{"bytes": "<base64>"}`.

/** The version of the format. */
export const copyVersion = 1;

export type CopiedKind = "cluster" | "tenant";

export interface CopyHeader {
  readonly copy: number;
  readonly kind: CopiedKind;
  /** The statements that create tables, indexes, views and triggers, in this order. */
  readonly schema: readonly string[];
}

export interface CopiedTable {
  readonly table: string;
  readonly columns: readonly string[];
}

export interface CopyEnd {
  /** The number of rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
}

/** The failures of a copy. `lost`: begin again, because the object was restarted, set to another state, or waited too long. */
export type CopyFailure =
  | "not_found"
  | "busy"
  | "lost"
  | "too_large"
  | "malformed_copy"
  | "stored_data_newer"
  | "stored_data_damaged";

export type CopyPage =
  | { readonly ok: true; readonly session: string; readonly text: string; readonly isLast: boolean }
  | { readonly ok: false; readonly code: CopyFailure; readonly message: string };

export type CopyReceived =
  | { readonly ok: true; readonly session: string; readonly isComplete: boolean }
  | { readonly ok: false; readonly code: CopyFailure; readonly message: string };

export interface ObjectCopyRpc {
  /** Returns the next page of a copy at one moment. Without a session, begins a copy. */
  copyPage(session: string | undefined): Promise<CopyPage>;
  /** Stores a page of complete lines. Without a session, deletes what the object stores and begins a restore. The last page opens the object. */
  restorePage(session: string | undefined, text: string): Promise<CopyReceived>;
  /** Counts the rows of all tables; 0 if nothing is stored. */
  countStoredRows(): Promise<number>;
}
