// Queries of a store and their results.

/** An object on a page of a list, as stored text. */
export interface Item extends KeyRow {
  readonly text: string;
}

export interface Page {
  readonly items: readonly Item[];
  /** Further objects follow. */
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
  /** Undefined: all namespaces. */
  readonly namespace?: string | undefined;
  /** Only keys after this one are returned. */
  readonly after?: { readonly namespace: string; readonly name: string } | undefined;
}

export interface PageQuery extends ListedKeys {
  readonly limit: number;
  /** The revision to read at. Undefined: the current one. */
  readonly revision?: number | undefined;
}
