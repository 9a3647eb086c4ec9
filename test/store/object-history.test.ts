// The history of objects as containers read it: equal from the index and from the chain of writes, and with bounded cost.
import { describe, expect, test } from "vitest";
import { SteppedClock } from "../../shared/base/clock.ts";
import { diceOf } from "../simulation/dice.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ObjectHistory } from "../../worker/store/object-history.ts";
import type { Sql } from "../../worker/store/sql.ts";
import { Store } from "../../worker/store/store.ts";
import { createTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

const keyOf = (name: string) => ({ resource: "notes", namespace: "", name });

function newLog() {
  const sql = nodeSql();
  createTables(sql);
  const clock = new SteppedClock();
  const store = new Store(sql, clock);
  const write = (name: string, isDeleted = false) => {
    const object: KubeObject = { apiVersion: "v1", kind: "Note", metadata: { name } };
    store.commit({
      key: keyOf(name),
      next: isDeleted ? null : object,
      index: { owners: [], indexValue: "" },
      cause: "[]",
    });
  };
  return { sql, clock, store, write };
}

/** Counts the rows that are read from the log. */
function countRows(sql: Sql): { readonly sql: Sql; rows(): number } {
  let rows = 0;
  const counting: Sql = {
    ...sql,
    all: (query, ...values) => {
      const resultRows = sql.all(query, ...values);
      rows += resultRows.length;
      return resultRows as never;
    },
    run: (query, ...values) => sql.run(query, ...values),
    transaction: (body) => sql.transaction(body),
  };
  return { sql: counting, rows: () => rows };
}

describe("L5: the history of one object", () => {
  test("L5: is equal from its writes and from the index", () => {
    const { sql, clock, store, write } = newLog();
    const dice = diceOf(7);
    const names = ["a", "b", "c", "d"];
    const existing = new Set<string>();
    for (let at = 0; at < 400; at++) {
      const name = names[dice.below(names.length)] ?? "";
      const isDeleted = existing.has(name) && dice.below(5) === 0;
      write(name, isDeleted);
      if (isDeleted) existing.delete(name);
      else existing.add(name);
      if (dice.below(10) < 7) clock.step(dice.below(50));
    }
    const endMs = clock.nowMs();
    for (let back = 0; back < 12_000; back += 97) {
      const atMs = endMs - back;
      // The list makes the second history use its index.
      const [chain, index] = [new ObjectHistory(sql, () => false), new ObjectHistory(sql, () => false)];
      const written = new Map(index.writtenSince("notes", atMs).map(({ key, revision }) => [key.name, revision]));
      for (const name of names) {
        const state = chain.stateOf(keyOf(name), atMs);
        expect(state).toEqual(index.stateOf(keyOf(name), atMs));
        expect(state).toEqual(written.has(name) ? { revision: written.get(name) } : "current");
        expect(chain.writesOf(keyOf(name), atMs)).toEqual(index.writesOf(keyOf(name), atMs));
      }
      expect(chain.nextWriteMs(atMs)).toBe(store.objectHistory.nextWriteMs(atMs));
    }
  });

  test("L5: is read without the writes of other objects", () => {
    const { sql, clock, write } = newLog();
    const beganMs = clock.nowMs();
    clock.step(10);
    write("mine");
    for (let at = 0; at < 3_000; at++) write(`other-${at}`);
    clock.step(10);
    write("mine");
    const counted = countRows(sql);
    const history = new ObjectHistory(counted.sql, () => false);
    expect(history.writesOf(keyOf("mine"), beganMs)).toEqual([beganMs + 10, beganMs + 20]);
    expect(counted.rows()).toBeLessThan(10);
  });

  test("L5: a recent time of all objects is read without older writes", () => {
    const { sql, clock, write } = newLog();
    for (let at = 0; at < 3_000; at++) {
      write(`other-${at}`);
      clock.step(10);
    }
    const counted = countRows(sql);
    const history = new ObjectHistory(counted.sql, () => false);
    expect(history.writtenSince("notes", clock.nowMs() - 1_000)).toHaveLength(99);
    expect(counted.rows()).toBeLessThan(1_000);
  });
});

test("L5: the index has the newest 10,000 writes, and earlier times equal the first of them", () => {
  const { sql } = newLog();
  const query = "INSERT INTO changes VALUES (?, 'notes', '', ?, NULL, NULL, '[]', ?)";
  for (let at = 1; at <= 10_100; at++) sql.run(query, at, at <= 100 ? "old" : `n${at % 2}`, at * 1000);
  const history = new ObjectHistory(sql, () => false);
  expect(history.nextWriteMs(0)).toBe(101_000);
  expect(history.writtenSince("notes", 0).map(({ key }) => key.name)).not.toContain("old");
  expect(history.stateOf(keyOf("old"), 0)).toBe("current");
});
