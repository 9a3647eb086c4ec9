// Copies of an object's tables over SQLite in memory: what is copied, what is refused, and what a broken-off restore leaves.
import { describe, expect, test } from "vitest";
import { copyLimits } from "../../shared/base/share-limits.ts";
import { CopyIn, MalformedCopy } from "../../worker/store/copy/copy-in.ts";
import { CopyOut, CopyTooLarge } from "../../worker/store/copy/copy-out.ts";
import { storedSchema, storedTables } from "../../worker/store/copy/tables.ts";
import type { Sql } from "../../worker/store/sql.ts";
import { createTables, hasTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

const log = { table: "changes", key: "revision", content: "value" } as const;

function cluster(changes: number, characters = 100): Sql {
  const sql = nodeSql();
  createTables(sql);
  for (let revision = 1; revision <= changes; revision++) addChange(sql, revision, characters);
  sql.run("INSERT INTO meta (key, value) VALUES ('settings', '{}'), ('ä\u{1f600}', 'a\nb')");
  sql.run("INSERT INTO queue VALUES ('c', 'n', 'a', 5, 0, '', NULL, 0)");
  return sql;
}

function addChange(sql: Sql, revision: number, characters: number): void {
  sql.run(
    "INSERT INTO writes (revision, resource, namespace, name, value, cause, at_ms, owners, index_value, bytes) VALUES (?, 'pods', 'n', ?, ?, '[]', 1, '', '', 1)",
    revision,
    `pod-${revision}`,
    "x".repeat(characters),
  );
}

function pagesOf(copy: CopyOut): string[] {
  const pages: string[] = [];
  for (;;) {
    const { text, isLast } = copy.next();
    pages.push(text);
    if (isLast) return pages;
  }
}

function restored(pages: readonly string[]): Sql {
  const sql = nodeSql();
  const copy = new CopyIn(sql, "cluster");
  for (const page of pages) copy.receive(page);
  expect(copy.isComplete).toBe(true);
  return sql;
}

function contentOf(sql: Sql): unknown {
  const tables = storedTables(sql).map(({ name }) => [name, sql.all(`SELECT * FROM "${name}"`)]);
  return { schema: storedSchema(sql), tables };
}

describe("a copy", () => {
  test("has the schema and all rows of all tables, and what is restored from it is equal", () => {
    const sql = cluster(1200);
    sql.run("CREATE TABLE files (path TEXT NOT NULL, content BLOB, PRIMARY KEY (path)) WITHOUT ROWID");
    sql.run("INSERT INTO files VALUES ('a', ?), ('b', NULL)", new Uint8Array([0, 255, 10]));
    const copy = restored(pagesOf(new CopyOut(sql, "cluster", { ...log, upTo: 1200 })));
    expect(contentOf(copy)).toEqual(contentOf(sql));
    // The triggers of the view write again.
    addChange(copy, 1201, 10);
    expect(copy.all("SELECT name FROM objects WHERE revision = 1201")).toEqual([{ name: "pod-1201" }]);
  });

  test("is of the moment at which it began, while the log grows and other tables change", () => {
    const sql = cluster(700, 5_000);
    const before = contentOf(sql);
    const copy = new CopyOut(sql, "cluster", { ...log, upTo: 700 });
    const first = copy.next();
    expect(first.isLast).toBe(false);
    addChange(sql, 701, 10);
    sql.run("DELETE FROM queue");
    sql.run("UPDATE meta SET value = 'new'");
    expect(contentOf(restored([first.text, ...pagesOf(copy)]))).toEqual(before);
  });

  test("comes in pages that exceed their size by one row at most", () => {
    const pages = pagesOf(new CopyOut(cluster(700, 5_000), "cluster", { ...log, upTo: 700 }));
    expect(pages.length).toBeGreaterThanOrEqual(3);
    for (const page of pages) {
      expect(page.length).toBeLessThan(copyLimits.pageCharacters + 6_000);
      expect(page.endsWith("\n")).toBe(true);
    }
  });

  test("the copy of an object without a log, or with an empty one, is complete", () => {
    const empty = cluster(0);
    expect(contentOf(restored(pagesOf(new CopyOut(empty, "cluster", { ...log, upTo: 0 }))))).toEqual(contentOf(empty));
    expect(contentOf(restored(pagesOf(new CopyOut(empty, "cluster"))))).toEqual(contentOf(empty));
  });

  test("is refused if more than the bound must be held in memory", () => {
    const sql = cluster(0);
    const row = "x".repeat(1024 * 1024);
    for (let at = 0; at < 65; at++) sql.run("INSERT INTO meta (key, value) VALUES (?, ?)", `row ${at}`, row);
    expect(() => new CopyOut(sql, "cluster", { ...log, upTo: 0 })).toThrow(CopyTooLarge);
  });
});

describe("a restore", () => {
  test("a restore that is not complete leaves an object that does not count as stored", () => {
    const [page = ""] = pagesOf(new CopyOut(cluster(3), "cluster", { ...log, upTo: 3 }));
    const lines = page.trimEnd().split("\n");
    const sql = nodeSql();
    const copy = new CopyIn(sql, "cluster");
    copy.receive(lines.slice(0, -1).join("\n"));
    expect(copy.isComplete).toBe(false);
    expect(hasTables(sql)).toBe(false);
    copy.receive(lines.at(-1) ?? "");
    expect(hasTables(sql)).toBe(true);
  });

  test.each<[string, (lines: string[]) => string[]]>([
    ["a row is missing", (lines) => lines.toSpliced(2, 1)],
    ["the end is followed by a row", (lines) => [...lines, "[1]"]],
    ["there are two headers", ([header = "", ...rest]) => [header, header, ...rest]],
    ["the header is missing", ([, ...rest]) => rest],
    ["a row is cut off", (lines) => lines.with(2, (lines[2] ?? "").slice(0, -2))],
    ["a row has too few values", (lines) => lines.with(2, "[1]")],
    ["a value is an object", (lines) => lines.with(2, '["a",{"b":1}]')],
    ["a table is unknown", (lines) => lines.map((line) => line.replace('"table":"meta"', '"table":"metas"'))],
    ["a line is a text", (lines) => lines.with(2, '"text"')],
    ["the kind is another", (lines) => lines.map((line) => line.replace('"kind":"cluster"', '"kind":"tenant"'))],
    ["the format is newer", (lines) => lines.map((line) => line.replace('"copy":1', '"copy":2'))],
    ["the schema drops a table", (lines) => lines.map((line) => line.replace("CREATE TABLE meta", "DROP TABLE meta;"))],
  ])("is refused and leaves nothing stored if %s", (_, change) => {
    const [page = ""] = pagesOf(new CopyOut(cluster(3), "cluster", { ...log, upTo: 3 }));
    const sql = nodeSql();
    const copy = new CopyIn(sql, "cluster");
    expect(() => copy.receive(change(page.trimEnd().split("\n")).join("\n"))).toThrow(MalformedCopy);
    expect(hasTables(sql)).toBe(false);
  });
});
