import { expect, test } from "vitest";
import { createTables, upgradeTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

test("a cluster of an older version gets the columns that its tables lack, once", () => {
  const sql = nodeSql();
  createTables(sql);
  sql.run("ALTER TABLE queue DROP COLUMN note");
  sql.run("INSERT INTO queue (controller, namespace, name, due_ms, attempts) VALUES ('a', 'b', 'c', 1, 2)");
  upgradeTables(sql);
  upgradeTables(sql);
  expect(sql.all("SELECT * FROM queue")).toEqual([
    { controller: "a", namespace: "b", name: "c", due_ms: 1, attempts: 2, note: "" },
  ]);
});
