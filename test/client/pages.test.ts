// The pages of lists in the command line.
import { expect, test } from "vitest";
import { readPages } from "../../client/cli/pages.ts";

/** Returns a list of the numbers 0 to 9, three on a page, and the cursors that were asked for. */
function threeOnAPage() {
  const cursors: (string | undefined)[] = [];
  const read = async ({ cursor }: { readonly cursor?: string }) => {
    cursors.push(cursor);
    const first = Number(cursor ?? 0);
    const items = Array.from({ length: 10 }, (_, at) => at).slice(first, first + 3);
    return { items, ...(first + 3 < 10 ? { nextCursor: String(first + 3) } : {}) };
  };
  return { cursors, read };
}

test("the command line reads a list to its end", async () => {
  const { cursors, read } = threeOnAPage();
  expect(await readPages(read, ({ items }) => items)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(cursors).toEqual([undefined, "3", "6", "9"]);
});

test("the command line reads no more pages than it needs", async () => {
  const { cursors, read } = threeOnAPage();
  expect(await readPages(read, ({ items }) => items, 4)).toEqual([0, 1, 2, 3]);
  expect(cursors).toEqual([undefined, "3"]);
});

test("the command line ends although each page names the next", async () => {
  const endless = async () => ({ items: [1], nextCursor: "again" });
  expect((await readPages(endless, ({ items }) => items)).length).toBe(200);
});
