// The index over the newest writes: it reads a bounded number of them from the log, and what is older counts as it was then.
import { expect, test } from "vitest";
import { ObjectHistory } from "../../worker/store/object-history.ts";
import { createTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

test("S9: it knows the newest 10,000 writes, and of older ones what the first of those replaced", () => {
  const sql = nodeSql();
  createTables(sql);
  const query = "INSERT INTO changes VALUES (?, 'configmaps', 'default', ?, NULL, NULL, '{}', ?)";
  for (let at = 1; at <= 10_100; at++) sql.run(query, at, at <= 100 ? "old" : `n${at % 2}`, at * 1000);
  const history = new ObjectHistory(sql);
  const writes = (name: string) => history.writesOf({ resource: "configmaps", namespace: "default", name }, 0);
  expect([writes("old").length, writes("n0").length + writes("n1").length]).toEqual([0, 10_000]);
  expect(history.nextWriteMs(0)).toBe(101_000);
  expect(history.stateOf({ resource: "configmaps", namespace: "default", name: "old" }, 0)).toBe("current");
});
