// Ranges of keys as SQL conditions, and the number of rows that fit on a page.
import { limits } from "../../shared/base/limits.ts";

/** Counts the rows, at most `limit`, that fit on a page. */
export function countFitting(rows: readonly { readonly characters: number }[], limit: number): number {
  let count = 0;
  for (let characters = 0; count < Math.min(limit, rows.length) && characters < limits.listPageBytes; count++) {
    characters += rows[count]?.characters ?? 0;
  }
  return count;
}

/** Returns the condition of a list: the keys of a resource, optionally in one namespace, optionally after a key. */
export function range(
  resource: string,
  namespace: string | undefined,
  after: { readonly namespace: string; readonly name: string } | undefined,
  prefix = "",
) {
  const params: (string | number)[] = [resource];
  let where = `${prefix}resource = ?`;
  if (namespace !== undefined) {
    where += ` AND ${prefix}namespace = ?`;
    params.push(namespace);
  }
  if (after && namespace !== undefined) {
    // A condition on both columns would make SQLite scan the whole namespace for each page.
    where += ` AND ${prefix}name > ?`;
    params.push(after.name);
  } else if (after) {
    where += ` AND (${prefix}namespace, ${prefix}name) > (?, ?)`;
    params.push(after.namespace, after.name);
  }
  return { where, params };
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
