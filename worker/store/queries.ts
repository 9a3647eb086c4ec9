// What is asked of a store's current state, and what is answered.

/** One value of a list page, as stored text. */
export interface Item extends KeyRow {
  readonly text: string;
}

export interface Page {
  readonly items: readonly Item[];
  /** There are further ones. */
  readonly more: boolean;
}

export interface KeyRow {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
}

export interface IndexRow {
  readonly name: string;
  readonly indexValue: string;
  readonly revision: number;
}

export interface ListedKeys {
  readonly resource: string;
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined;
  /** Only keys after this one. */
  readonly after?: { readonly namespace: string; readonly name: string } | undefined;
}

export interface PageQuery extends ListedKeys {
  readonly limit: number;
  /** The revision to read at; absent: now. */
  readonly revision?: number | undefined;
}
