// A full disk: SQLite's error, writes when the disk is nearly full, and other errors.
import { expect, test } from "vitest";
import { ApiError } from "../../shared/k8s/status.ts";
import { refusingFull } from "../../worker/store/full.ts";
import type { Sql } from "../../worker/store/sql.ts";
import { nodeSql } from "../sqlite.ts";

const noRoom = { code: 507, reason: "InsufficientStorage" };

function failing(message: string): Sql {
  const fail = () => {
    throw new Error(message);
  };
  return { run: fail, all: fail, transaction: fail, rowsWritten: () => 7 };
}

function thrownBy(body: () => unknown): unknown {
  try {
    body();
    return undefined;
  } catch (error) {
    return error;
  }
}

test("S8: every statement on a full SQLite fails with 507, and other errors are unchanged", () => {
  const full = refusingFull(failing("database or disk is full: SQLITE_FULL"));
  const broken = refusingFull(failing("no such table: objects"));
  for (const ask of [(sql: Sql) => sql.run(""), (sql: Sql) => sql.all(""), (sql: Sql) => sql.transaction(() => 1)]) {
    expect(thrownBy(() => ask(full))).toMatchObject(noRoom);
    const error = thrownBy(() => ask(broken));
    expect([error instanceof ApiError, String(error)]).toEqual([false, "Error: no such table: objects"]);
  }
});

test("S8: writes on a nearly full disk are refused before they are tried, and reads continue", () => {
  const sql = nodeSql();
  sql.run("CREATE TABLE notes (text TEXT)");
  const room = { isShort: false };
  const refusing = refusingFull(sql, () => room.isShort);
  refusing.run("INSERT INTO notes VALUES (?)", "a");
  room.isShort = true;
  expect(thrownBy(() => refusing.run("INSERT INTO notes VALUES (?)", "b"))).toMatchObject(noRoom);
  expect(refusing.transaction(() => refusing.all("SELECT * FROM notes"))).toEqual([{ text: "a" }]);
  expect(refusing.rowsWritten()).toBe(sql.rowsWritten());
});

test("S8: all writes are tried without a report of shortage", () => {
  const sql = nodeSql();
  const refusing = refusingFull(sql);
  refusing.run("CREATE TABLE notes (text TEXT)");
  refusing.run("INSERT INTO notes VALUES (?)", "a");
  expect(sql.all("SELECT * FROM notes")).toEqual([{ text: "a" }]);
});
