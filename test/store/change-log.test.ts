// The bounds of the change log, measured: in revisions, in bytes, in time, by the cut of one write, and by the cost of marks.
import { describe, expect, test } from "vitest";
import { SteppedClock } from "../../shared/base/clock.ts";
import { limits } from "../../shared/base/limits.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { Store } from "../../worker/store/store.ts";
import { createTables, readMeta, writeMeta } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

interface Mark {
  readonly revision: number;
  readonly ms: number;
  readonly bytes: number;
}

const minuteMs = 60_000;

/** Creates a log with one object, `a`, that is written repeatedly. */
function newLog() {
  const sql = nodeSql();
  createTables(sql);
  const clock = new SteppedClock();
  let store = new Store(sql, clock);
  const put = (text = "", cause = "[]") => {
    const next: KubeObject = { apiVersion: "v1", kind: "Note", metadata: { name: "a", annotations: { text } } };
    store.commit({
      key: { resource: "notes", namespace: "", name: "a" },
      next,
      index: { owners: [], indexValue: "" },
      cause,
    });
  };
  return {
    clock,
    put,
    store: () => store,
    compacted: () => store.compacted,
    forgotten: () => store.forgotten,
    marks: () => JSON.parse(readMeta(sql, "logMarks") ?? "[]") as Mark[],
    /** Returns the rows that a write costs. */
    rows: (write = put) => {
      const before = sql.rowsWritten();
      write();
      return sql.rowsWritten() - before;
    },
    /** Opens the store again after this value was stored as the end of the log. */
    written: (compacted: string) => {
      writeMeta(sql, "compacted", compacted);
      store = new Store(sql, clock);
    },
    /** Opens the store again as if this revision were the newest, with these marks. */
    openedAt: (revision: number, marks: readonly Mark[]) => {
      const from = store.revision;
      for (const table of ["changes", "objects"])
        sql.run(`UPDATE ${table} SET revision = ? WHERE revision = ?`, revision, from);
      writeMeta(sql, "logMarks", JSON.stringify(marks));
      store = new Store(sql, clock);
    },
  };
}

const text = "x".repeat(1_200_000);

describe("compaction of the log", () => {
  test.each([
    [0, 1],
    [-1, 0],
  ])("S5: with a hold at its bound of revisions%s reaches %s", (more, compacted) => {
    const log = newLog();
    for (let at = 0; at < 3; at++) log.put();
    log.openedAt(limits.changeLogRevisions + more, [{ revision: 1, ms: log.clock.nowMs(), bytes: 0 }]);
    log.put();
    expect(log.compacted()).toBe(compacted);
  });

  test.each([
    [limits.changeLogBytes, 0, 1],
    [limits.changeLogBytes - 1_000_000, 0, 0],
    // Writes before the mark no longer count.
    [limits.changeLogBytes, limits.changeLogBytes - 1_000_000, 0],
  ])("S5: with %s bytes in all, %s of them before the mark, reaches %s", (bytes, before, compacted) => {
    const log = newLog();
    for (let at = 0; at < 3; at++) log.put();
    const ms = log.clock.nowMs();
    log.openedAt(3, [
      { revision: 1, ms, bytes: before },
      { revision: 3, ms: ms - minuteMs, bytes },
    ]);
    log.put();
    expect(log.compacted()).toBe(compacted);
  });

  test("S5: happens after five minutes, and no sooner", () => {
    const log = newLog();
    log.put();
    log.clock.step(minuteMs);
    log.put();
    log.clock.step(limits.changeLogMs - minuteMs - 1);
    log.put();
    expect(log.compacted()).toBe(0);
    // The revision that was newest five minutes ago has a mark of that time.
    log.clock.step(minuteMs + 1);
    log.put();
    expect(log.compacted()).toBe(1);
  });

  test("S5: happens for many small writes within one moment as well", () => {
    const log = newLog();
    for (let at = 0; at < 2100; at++) log.put();
    log.clock.step(limits.changeLogMs);
    log.put();
    expect(log.compacted()).toBeGreaterThan(2 * limits.changeLogMarkRevisions - 10);
    expect(log.forgotten()).toBe(0);
    log.clock.step(limits.historyMs);
    log.put();
    expect(log.forgotten()).toBe(limits.compactionRevisions);
    for (let at = 0; at < 5; at++) log.put();
    expect(log.forgotten()).toBeGreaterThan(2 * limits.changeLogMarkRevisions - 10);
  });

  test("S5: deletes at most a portion in one write, until everything due is deleted", () => {
    const log = newLog();
    for (let at = 0; at < 20; at++) log.put(text);
    log.clock.step(limits.historyMs);
    const portions: number[] = [];
    for (let before = -1; log.forgotten() > before; ) {
      before = log.forgotten();
      log.put();
      portions.push(log.forgotten() - before);
    }
    expect(portions.at(-1)).toBe(0);
    expect(Math.max(...portions)).toBeLessThanOrEqual(Math.ceil(limits.compactionBytes / text.length) + 1);
    expect(log.forgotten()).toBeGreaterThan(15);
  });
});

describe("history of the log", () => {
  test("S11: is readable for a day after the API can no longer read it, and at most one mark longer", () => {
    const log = newLog();
    for (let minute = 0; minute < 30 * 60; minute += 10) {
      log.put(String(minute));
      log.clock.step(10 * minuteMs);
    }
    const dayMinutes = limits.historyMs / minuteMs;
    const markMinutes = limits.historyMarkMs / minuteMs;
    const reach = (log.store().revision - log.forgotten()) * 10;
    expect(reach).toBeGreaterThanOrEqual(dayMinutes);
    expect(reach).toBeLessThanOrEqual(dayMinutes + 2 * markMinutes);
    expect(log.store().history(log.forgotten(), 1)[0]?.revision).toBe(log.forgotten() + 1);
    expect(() => log.store().history(log.forgotten() - 1, 1)).toThrow("too old resource version");
    expect(log.compacted()).toBeGreaterThan(log.store().revision - 3);
  });

  test("S11: ends after its bound of replaced bytes, whatever its age", () => {
    const log = newLog();
    for (let at = 0; at < 80; at++) log.put(text);
    expect(log.forgotten()).toBeGreaterThan(15);
    expect(log.forgotten()).toBeLessThanOrEqual(80 - limits.historyBytes / text.length + 1);
  });

  test("S11: ends at the same revision after the store is opened again, once a part is deleted", () => {
    const log = newLog();
    for (let hour = 0; hour < 60; hour++) {
      log.put();
      log.clock.step(60 * minuteMs);
    }
    const before = [log.compacted(), log.forgotten()];
    expect(log.forgotten()).toBeGreaterThan(0);
    expect(log.forgotten()).toBeLessThan(log.compacted());
    log.openedAt(log.store().revision, log.marks());
    expect([log.compacted(), log.forgotten()]).toEqual(before);
  });

  test("S11: is unchanged after the store is opened again, also with the one bound of an older version", () => {
    const log = newLog();
    for (let at = 0; at < 3; at++) log.put();
    log.clock.step(limits.changeLogMs);
    log.put();
    log.clock.step(limits.changeLogMs);
    log.put();
    expect([log.compacted(), log.forgotten()]).toEqual([3, 0]);
    log.openedAt(5, log.marks());
    expect([log.compacted(), log.forgotten()]).toEqual([3, 0]);
    log.written("3");
    expect([log.compacted(), log.forgotten()]).toEqual([3, 3]);
  });

  test("S11: has a bounded number of marks after a busy day", () => {
    const { put, clock, marks } = newLog();
    for (let minute = 0; minute < 26 * 60; minute++) {
      put("x".repeat(5_000));
      clock.step(minuteMs);
    }
    expect(marks().length).toBeLessThan(
      limits.changeLogMs / minuteMs + 2 * (limits.historyMs / limits.historyMarkMs) + 3,
    );
  });
});

describe("a hold of a revision", () => {
  test("S5: is limited by its distance, not by the progress of the log", () => {
    const log = newLog();
    log.put();
    log.openedAt(60_000, []);
    log.put("held");
    const held = log.store().revision;
    const release = log.store().hold(held);
    log.put();
    log.store().compact(held + 1);
    expect(log.compacted()).toBe(held);
    release();
    log.store().compact(held + 1);
    expect(log.compacted()).toBe(held + 1);
  });

  test.each([
    [limits.heldRevisions, 1],
    [limits.heldRevisions + 1, 2],
  ])("S5: at %s revisions behind allows compaction up to %s", (behind, compacted) => {
    const log = newLog();
    log.put();
    log.put();
    log.openedAt(1 + behind, [{ revision: 1, ms: log.clock.nowMs(), bytes: 0 }]);
    log.store().hold(1);
    log.store().compact(2);
    expect(log.compacted()).toBe(compacted);
  });

  test("S5: is limited by the bytes written since, not by all bytes", () => {
    const log = newLog();
    for (let at = 0; at < 3; at++) log.put();
    const bytes = limits.heldBytes - 1_000_000;
    log.openedAt(3, [{ revision: 1, ms: log.clock.nowMs(), bytes }]);
    log.store().hold(1);
    log.put();
    log.store().compact(3);
    expect(log.compacted()).toBe(1);
  });
});

describe("the cost of marks", () => {
  test("S5: is a row with the first write of a minute, and none with the others", () => {
    const { rows, clock, marks } = newLog();
    expect(rows()).toBe(2);
    clock.step(minuteMs - 1);
    expect([rows(), rows(), marks()]).toEqual([2, 2, []]);
    clock.step(1);
    expect([rows(), rows(), rows()]).toEqual([3, 2, 2]);
    clock.step(minuteMs);
    expect([rows(), rows()]).toEqual([3, 2]);
    expect(marks().map(({ revision }) => revision)).toEqual([0, 3, 6]);
  });

  test("S5: is a row with each megabyte of replaced values or causes", () => {
    const { put, marks } = newLog();
    for (let at = 0; at < 9; at++) put(text);
    const replaced = marks().length;
    expect(replaced).toBeGreaterThanOrEqual(8);
    for (let at = 0; at < 12; at++) put("", "x".repeat(300_000));
    const causeRows = marks().length - replaced;
    expect(causeRows).toBeGreaterThanOrEqual(3);
    expect(causeRows).toBeLessThanOrEqual(4);
    for (let at = 0; at < 20; at++) put();
    expect(marks().length - replaced - causeRows).toBeLessThanOrEqual(1);
  });

  test("S5: is as many marks as its bounds need for a compacted log", () => {
    const { put, clock, marks } = newLog();
    for (let minute = 0; minute < 60; minute++) {
      put();
      clock.step(minuteMs);
    }
    expect(marks().length).toBeLessThanOrEqual(limits.changeLogMs / minuteMs + 5);
    expect(marks().length).toBeGreaterThan(limits.changeLogMs / minuteMs - 2);
  });
});
