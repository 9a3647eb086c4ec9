// The databases of earlier versions: they are migrated as a local run does it, and one of a newer version is refused.
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { expect, test } from "vitest";
import { type LocalDatabase, type LocalStatement, migrate } from "../../scripts/local/database.ts";
import { Refusal } from "../../scripts/local/refusal.ts";
import { nodeSql } from "../sqlite.ts";
import { fixtures, openFile } from "./fixture.ts";
import { rowsOf, schemaOf, withColumnsOf } from "./schema.ts";

const folder = join(import.meta.dirname, "../../migrations");
const all = fixtures().map((fixture) => ({ commit: fixture.record.commit, fixture }));

test.each(all)("the database of $commit gets missing tables and keeps its rows", async ({ fixture }) => {
  const path = [...fixture.files.keys()].find((key) => /D1DatabaseObject\/[0-9a-f]{64}\.sqlite$/.test(key)) ?? "";
  const { sql, file } = openFile(fixture, path);
  const before = rowsOf(sql);
  const ids = before.get("sandboxes")?.map(({ id }) => id);
  for (const { id } of Object.values(fixture.record.sandboxes)) expect(ids).toContain(id);
  await migrate(localDatabase(file), folder);
  await migrate(localDatabase(file), folder);
  expect(withColumnsOf(before, rowsOf(sql))).toEqual(before);
  const fresh = join(file, "../fresh.sqlite");
  await migrate(localDatabase(fresh), folder);
  expect(tablesOf(file)).toEqual(tablesOf(fresh));
});

test("sandboxes, runs and classes of an earlier version have the values of their new columns", async () => {
  const earlier = all.find(({ commit }) => commit === "593d2db1")?.fixture;
  if (!earlier) throw new Error("the fixture is not there");
  const path = [...earlier.files.keys()].find((key) => /D1DatabaseObject\/[0-9a-f]{64}\.sqlite$/.test(key)) ?? "";
  const { sql, file } = openFile(earlier, path);
  await migrate(localDatabase(file), folder);
  const only = (query: string) => expect(sql.all(query));
  only("SELECT DISTINCT version, owner FROM sandboxes").toEqual([{ version: "1.36", owner: "" }]);
  only("SELECT DISTINCT paused_ms, members, help FROM lesson_runs").toEqual([
    { paused_ms: 0, members: "[]", help: '{"state":"none","lines":[]}' },
  ]);
  only("SELECT DISTINCT deadline_ms, team_size, is_listed_only FROM lesson_classes").toEqual([
    { deadline_ms: 0, team_size: 1, is_listed_only: 0 },
  ]);
});

test("a database with newer migrations is refused with both migrations, and is not changed", async () => {
  const [oldest] = all;
  if (!oldest) throw new Error("there is no fixture");
  const path =
    [...oldest.fixture.files.keys()].find((key) => /D1DatabaseObject\/[0-9a-f]{64}\.sqlite$/.test(key)) ?? "";
  const { sql, file } = openFile(oldest.fixture, path);
  sql.run("INSERT INTO d1_migrations (name) VALUES ('9999_later.sql')");
  const before = tablesOf(file);
  const refused = migrate(localDatabase(file), folder);
  await expect(refused).rejects.toThrow(Refusal);
  await expect(refused).rejects.toThrow(/has migration 9999_later\.sql, and this version has migrations up to 00\d\d_/);
  expect(tablesOf(file)).toEqual(before);
});

function tablesOf(file: string): Record<string, unknown> {
  const sql = nodeSql(file);
  const { "table d1_migrations": _, ...tables } = schemaOf(sql);
  sql.close();
  return tables;
}

/** A database on a file, as D1 in a local run. */
function localDatabase(file: string): LocalDatabase {
  const database = new DatabaseSync(file);
  const statement = (sql: string, values: readonly SQLInputValue[]): LocalStatement => ({
    // Tests bind texts alone.
    bind: (...more) => statement(sql, more as SQLInputValue[]),
    all: () => Promise.resolve({ results: database.prepare(sql).all(...values) }),
    run: () => Promise.resolve(database.prepare(sql).run(...values)),
  });
  return {
    prepare: (sql) => statement(sql, []),
    batch: async (statements) => {
      database.exec("BEGIN");
      for (const statement of statements) await statement.run();
      database.exec("COMMIT");
    },
  };
}
