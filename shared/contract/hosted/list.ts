// The parameters of lists that the service reads as a whole and answers a page at a time.
import * as z from "zod";

/** The most entries of such a list in one answer, and the default: as many as most of these lists can have. */
export const listEntries = 1_000;

/** The cursor of the next page in an answer. Absent on the last page. */
export const nextCursor = z.string().optional();

const longestFilter = 200;

/** Returns the query parameters of a list. `fields` are those of an entry by which it is sorted and filtered. */
export function pageQuery({ sort, filter }: { readonly sort: readonly string[]; readonly filter: readonly string[] }) {
  const orders = sort.flatMap((field) => [field, `-${field}`]);
  return z.strictObject({
    limit: z.coerce.number().int().min(1).max(listEntries).default(listEntries).describe("Entries of a page, at most."),
    cursor: z
      .string()
      .max(longestFilter)
      .optional()
      .describe("The `nextCursor` of the page before; absent: the first page."),
    sort: z
      .enum(orders)
      .optional()
      .describe("The field by which the entries are sorted; with `-` before it, descending."),
    ...Object.fromEntries(
      filter.map((field) => [
        field,
        z.string().max(longestFilter).optional().describe(`Only entries with this ${field}.`),
      ]),
    ),
  });
}
