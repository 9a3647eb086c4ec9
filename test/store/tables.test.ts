// The tables of a cluster: creation, migration, and the small texts in `meta`.
import { expect, test } from "vitest";
import {
  createTables,
  deleteMeta,
  hasTables,
  metaCharacters,
  readMeta,
  upgradeTables,
  writeMeta,
} from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

/** Returns the tables of a version that stored no version number. */
function unnumberedTables() {
  const sql = nodeSql();
  createTables(sql);
  sql.run("DROP TABLE stored_version");
  return sql;
}

test("S2: a cluster of an older version gets missing columns, once", () => {
  const sql = unnumberedTables();
  for (const column of ["saved_state", "reacts_to", "sequence"]) sql.run(`ALTER TABLE queue DROP COLUMN ${column}`);
  sql.run("INSERT INTO queue (controller, namespace, name, due_ms, attempts) VALUES ('a', 'b', 'c', 1, 2)");
  upgradeTables(sql);
  upgradeTables(sql);
  expect(sql.all("SELECT * FROM queue")).toEqual([
    {
      controller: "a",
      namespace: "b",
      name: "c",
      due_ms: 1,
      attempts: 2,
      saved_state: "",
      reacts_to: null,
      sequence: 0,
    },
  ]);
});

test("S2: values of renamed columns are kept", () => {
  const sql = unnumberedTables();
  sql.run("DROP VIEW writes");
  sql.run("ALTER TABLE objects RENAME COLUMN index_value TO facet");
  sql.run("ALTER TABLE queue RENAME COLUMN saved_state TO note");
  sql.run("INSERT INTO objects VALUES ('r', 'ns', 'a', 7, '', 'node-1', 2)");
  sql.run("INSERT INTO queue VALUES ('a', 'b', 'c', 1, 2, 'half done', NULL, 0)");
  upgradeTables(sql);
  upgradeTables(sql);
  expect(sql.all("SELECT index_value FROM objects")).toEqual([{ index_value: "node-1" }]);
  expect(sql.all("SELECT saved_state FROM queue")).toEqual([{ saved_state: "half done" }]);
});

test("S2: a cluster of an older version gets the audit log", () => {
  const sql = unnumberedTables();
  sql.run("DROP TABLE audit");
  upgradeTables(sql);
  expect(sql.all("SELECT * FROM audit")).toEqual([]);
});

test("S2: a cluster of an older version writes in one statement, as a new one does", () => {
  const sql = unnumberedTables();
  // The view's triggers are dropped with it.
  sql.run("DROP VIEW writes");
  upgradeTables(sql);
  const write = (revision: number, previous: number | null, value: string | null) =>
    sql.run(
      `INSERT INTO writes (revision, resource, namespace, name, previous, value, cause, owners, index_value, bytes, of_base)
       VALUES (?, 'r', 'ns', 'a', ?, ?, '[]', '', '', 2, 0)`,
      revision,
      previous,
      value,
    );
  const objects = () => sql.all("SELECT revision, bytes FROM objects");
  write(1, null, "{}");
  expect(objects()).toEqual([{ revision: 1, bytes: 2 }]);
  write(2, 1, "{}");
  expect(objects()).toEqual([{ revision: 2, bytes: 2 }]);
  write(3, 2, null);
  expect(objects()).toEqual([]);
  expect(sql.all("SELECT revision, previous, value FROM changes ORDER BY revision")).toEqual([
    { revision: 1, previous: null, value: "{}" },
    { revision: 2, previous: 1, value: "{}" },
    { revision: 3, previous: 2, value: null },
  ]);
});

test("S2: tables exist after creation, and creating them again is harmless", () => {
  const sql = nodeSql();
  expect(hasTables(sql)).toBe(false);
  createTables(sql);
  writeMeta(sql, "a", "1");
  createTables(sql);
  expect([hasTables(sql), readMeta(sql, "a")]).toEqual([true, "1"]);
});

test("S2: a text has the last written value until it is deleted, and other texts stay", () => {
  const sql = nodeSql();
  createTables(sql);
  expect(readMeta(sql, "a")).toBeUndefined();
  writeMeta(sql, "a", "1");
  writeMeta(sql, "b", "other");
  writeMeta(sql, "a", "22");
  expect([readMeta(sql, "a"), readMeta(sql, "b")]).toEqual(["22", "other"]);
  deleteMeta(sql, "a");
  expect([readMeta(sql, "a"), readMeta(sql, "b")]).toEqual([undefined, "other"]);
});

test("B1: the characters of texts are counted by the prefix of their keys", () => {
  const sql = nodeSql();
  createTables(sql);
  expect(metaCharacters(sql, "kept:")).toBe(0);
  for (const [key, text] of [
    ["kept:a", "12"],
    ["kept:b", "345"],
    ["kept", "6"],
    ["other:kept:", "7"],
  ] as const)
    writeMeta(sql, key, text);
  expect(metaCharacters(sql, "kept:")).toBe(5);
});
