// Bounds of simulated database servers: data, transactions and answers.
import { expect, test } from "vitest";
import { lineText, mostData } from "../../../worker/containers/databases/data.ts";
import { mysqlDialect } from "../../../worker/containers/products/mysql/dialect.ts";
import { postgresDialect } from "../../../worker/containers/products/postgres/dialect.ts";
import { replyTo } from "../../../worker/containers/databases/server.ts";
import { type Transaction, withStatement } from "../../../worker/containers/databases/transactions.ts";
import { Files } from "../../../worker/containers/shell/files.ts";

const dialects = { mysql: mysqlDialect, postgres: postgresDialect };
type DialectName = keyof typeof dialects;

const path = "/data";
const fresh = [{ user: "root", password: "secret", isAdmin: true }, { database: "app" }].map(lineText).join("");

function answer(dialect: DialectName, sql: string, text = fresh, transaction?: Transaction) {
  const files = new Files([[path, { text, mode: 0o600, changedMs: 0 }]]);
  const server = { files, path, version: "18.1", from: "10.244.0.9", nowMs: 1000, number: 1 };
  const session = { user: "root", password: "secret", database: "app", ...(transaction ? { transaction } : {}) };
  return replyTo(dialects[dialect], server, { ...session, sql });
}

const table = lineText({ sql: "create table t (a text)", in: "app", atMs: 0 });

test.each<[DialectName, string, string]>([
  ["mysql", "1114 (HY000)", "The table is full"],
  ["postgres", "XX000", "database or disk is full"],
])("N3: %s refuses writes that its data folder has no room for, and still answers reads", (dialect, code, message) => {
  const line = lineText({ sql: `insert into t values ('${"x".repeat(30_000)}')`, in: "app", atMs: 0 });
  const full = fresh + table + line.repeat(Math.ceil(mostData.characters / line.length));
  expect(answer(dialect, "insert into t values ('a')", full)).toMatchObject({ more: "", reply: { code, message } });
  expect(answer(dialect, "select count(*) from t", full).reply).toMatchObject({ kind: "rows" });
  expect(answer(dialect, "insert into t values ('a')", fresh + table).reply).toMatchObject({ kind: "done" });
  const many = fresh + table + lineText({ sql: "select 1", in: "app", atMs: 0 }).repeat(mostData.lines);
  expect(answer(dialect, "insert into t values ('a')", many)).toMatchObject({ more: "", reply: { code, message } });
});

test.each<[DialectName, string, string]>([
  ["mysql", "1206 (HY000)", "The total number of locks exceeds the lock table size"],
  ["postgres", "53200", "out of shared memory"],
])("N22: a transaction of %s carries 500 statements, of 65,536 characters in total", (dialect, code, message) => {
  const insert = "insert into t values ('a')";
  const carrying = (statements: readonly string[]): Transaction => ({ statements, savepoints: [] });
  const some = carrying(Array.from({ length: 499 }, () => insert));
  expect(answer(dialect, insert, fresh + table, some).reply).toMatchObject({ kind: "done" });
  const most = carrying([...some.statements, insert]);
  expect(answer(dialect, insert, fresh + table, most).reply).toMatchObject({ kind: "error", code, message });
  expect(withStatement(carrying(["x".repeat(65_536)]), "y")).toBeUndefined();
  expect(withStatement(carrying(["x".repeat(65_535)]), "y")).toBeDefined();
});

test("N3: a statement answers at most 10,000 rows or a million characters, and the rest is cut off", () => {
  const rows = (sql: string) => {
    const { reply } = answer("mysql", sql);
    return reply.kind === "rows" ? reply.rows : [];
  };
  const count = (end: number) => `with recursive c(x) as (select 1 union all select x + 1 from c limit ${end})`;
  expect(rows(`${count(10_010)} select x from c`)).toHaveLength(10_000);
  const wide = rows(`${count(300)} select replace(hex(zeroblob(5000)), '0', 'a') from c`);
  expect(wide.length).toBeGreaterThan(90);
  expect(wide.length).toBeLessThan(110);
});
