// The pages of lists.
import type { Page } from "../index.ts";

/** The limit of pages that are read, so that a faulty cursor ends. */
const maxPages = 200;

/** Reads the pages of a list until the last one, or until it has enough items. Returns the items. */
export async function readPages<P extends { readonly nextCursor?: string | undefined }, T>(
  read: (page: Pick<Page, "cursor">) => Promise<P>,
  itemsOf: (page: P) => readonly T[],
  enough = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await read(cursor === undefined ? {} : { cursor });
    all.push(...itemsOf(page));
    cursor = page.nextCursor;
    if (cursor === undefined || all.length >= enough) break;
  }
  return all.slice(0, enough);
}
