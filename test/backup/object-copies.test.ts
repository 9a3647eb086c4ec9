// Copies of an object between two calls: sessions, a log that must not be cut, and failures.
import { expect, test } from "vitest";
import { copyLimits } from "../../shared/base/share-limits.ts";
import { ObjectCopies } from "../../worker/cluster/lifecycle/object-copies.ts";
import { createTables, hasTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

function newObject() {
  const sql = nodeSql();
  createTables(sql);
  for (let revision = 1; revision <= 500; revision++)
    sql.run("INSERT INTO changes VALUES (?, 'pods', 'n', 'a', NULL, ?, '[]', 1)", revision, "x".repeat(10_000));
  const state = { nowMs: 0, isKept: true, untilMs: 0, opened: 0, wiped: 0 };
  const copies = new ObjectCopies({
    kind: "cluster",
    sql,
    nowMs: () => state.nowMs,
    newSession: (() => {
      let number = 0;
      return () => `s${number++}`;
    })(),
    isStored: () => hasTables(sql),
    source: () => ({
      log: { table: "changes", key: "revision", content: "value", upTo: 500 },
      keep: (untilMs) => {
        state.untilMs = untilMs;
        return state.isKept;
      },
    }),
    turn: async () => undefined,
    wipe: async () => {
      state.wiped++;
      const tables = sql.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
      for (const { name } of tables) sql.run(`DROP TABLE "${name}"`);
      sql.run("DROP VIEW IF EXISTS writes");
    },
    open: () => void state.opened++,
  });
  return { copies, state, sql };
}

test("each page keeps the log for a minute, and the last one lets it go", async () => {
  const { copies, state } = newObject();
  let page = await copies.copyPage(undefined);
  let pages = 1;
  for (; page.ok && !page.isLast; pages++) {
    expect(state.untilMs).toBe(state.nowMs + copyLimits.pauseMs);
    state.nowMs += 50_000;
    page = await copies.copyPage(page.session);
  }
  expect(page).toMatchObject({ ok: true, isLast: true });
  expect(pages).toBeGreaterThan(3);
  expect(state.untilMs).toBe(Number.NEGATIVE_INFINITY);
});

test("a page that is requested again is no other page, but the copy is lost", async () => {
  const { copies } = newObject();
  const first = await copies.copyPage(undefined);
  const session = first.ok ? first.session : "";
  expect(await copies.copyPage(session)).toMatchObject({ ok: true });
  expect(await copies.copyPage(session)).toMatchObject({ ok: false, code: "lost" });
});

test("the copy is lost if the log was cut or the object was replaced meanwhile", async () => {
  const { copies, state } = newObject();
  const first = await copies.copyPage(undefined);
  state.isKept = false;
  expect(await copies.copyPage(first.ok ? first.session : "")).toMatchObject({ ok: false, code: "lost" });
});

test("a second copy is refused until the first one ends or waits longer than a minute", async () => {
  const { copies, state } = newObject();
  await copies.copyPage(undefined);
  expect(await copies.copyPage(undefined)).toMatchObject({ ok: false, code: "busy" });
  state.nowMs += copyLimits.pauseMs;
  expect(await copies.copyPage(undefined)).toMatchObject({ ok: true });
});

test("an object without data has no copy", async () => {
  const { copies, sql } = newObject();
  sql.run("DROP TABLE changes");
  expect(await copies.copyPage(undefined)).toMatchObject({ ok: false, code: "not_found" });
});

test("a restore deletes what was stored, and its last page opens the object", async () => {
  const source = newObject();
  const target = newObject();
  let session: string | undefined;
  for (let page = await source.copies.copyPage(undefined); page.ok; page = await source.copies.copyPage(page.session)) {
    const received = await target.copies.restorePage(session, page.text);
    expect(received).toMatchObject({ ok: true, isComplete: page.isLast });
    session = received.ok ? received.session : "";
    if (page.isLast) break;
    expect(hasTables(target.sql)).toBe(false);
  }
  expect(target.state).toMatchObject({ wiped: 1, opened: 1 });
  expect(await target.copies.countStoredRows()).toBe(await source.copies.countStoredRows());
  expect(await target.copies.restorePage(session, "")).toMatchObject({ ok: false, code: "lost" });
});

test("a page that is no copy is refused, and the object stays closed", async () => {
  const { copies, sql, state } = newObject();
  expect(await copies.restorePage(undefined, "nothing\n")).toMatchObject({ ok: false, code: "malformed_copy" });
  expect(hasTables(sql)).toBe(false);
  expect(state.opened).toBe(0);
});
