// Ranges of keys as SQL, and how much of one a page takes.
import { limits } from "../../shared/base/limits.ts";

/** How many rows, of at most `limit`, a page takes until it is full. */
export function countFitting(rows: readonly { readonly bytes: number }[], limit: number): number {
  let count = 0;
  for (let bytes = 0; count < Math.min(limit, rows.length) && bytes < limits.listPageBytes; count++) {
    bytes += rows[count]?.bytes ?? 0;
  }
  return count;
}

/** The condition of a list: keys of a resource, in a namespace or in all, after one or from the first. */
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
    // Of two columns SQLite would look through the whole namespace again for each page.
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
