// The work queue's promises.
import { expect, test } from "vitest";
import { WorkQueue } from "../../worker/runtime/queue.ts";
import { createTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

const request = (name: string, dueMs: number) => ({ controller: "c", namespace: "ns", name, dueMs });

function newQueue() {
  const sql = nodeSql();
  createTables(sql);
  return { sql, queue: new WorkQueue(sql) };
}

test("Q1: a request stands in the queue at most once, at its earliest time", () => {
  const { queue } = newQueue();
  queue.add(request("a", 100));
  queue.add(request("a", 50));
  queue.add(request("a", 200));
  expect(queue.size).toBe(1);
  expect(queue.earliestDueMs()).toBe(50);
});

test("Q2: nothing is given out before it is due, and what waited longest comes first", () => {
  const { queue } = newQueue();
  queue.add(request("late", 30));
  queue.add(request("first", 10));
  queue.add(request("second", 10));
  expect(queue.take(5)).toBeUndefined();
  expect([queue.take(20)?.name, queue.take(20)?.name, queue.take(20)?.name]).toEqual(["first", "second", undefined]);
});

test("Q3: what waits is there after a restart, with its time and attempts", () => {
  const { sql, queue } = newQueue();
  queue.add(request("a", 100));
  queue.add(request("b", 10));
  const taken = queue.take(10);
  if (taken) queue.again({ ...taken, attempts: 3, dueMs: 70 });
  queue.save();
  expect(new WorkQueue(sql).all()).toMatchObject([
    { name: "a", dueMs: 100, attempts: 0 },
    { name: "b", dueMs: 70, attempts: 3 },
  ]);
});

test("Q4: what is added and done before a save writes no row", () => {
  const { sql, queue } = newQueue();
  const before = sql.rowsWritten();
  queue.add(request("a", 10));
  queue.take(10);
  expect(queue.save()).toBe(false);
  expect(sql.rowsWritten()).toBe(before);
});

test("Q4: a saved request that was done is deleted by the next save", () => {
  const { sql, queue } = newQueue();
  queue.add(request("a", 10));
  queue.save();
  queue.take(10);
  expect(queue.save()).toBe(true);
  expect(new WorkQueue(sql).size).toBe(0);
});

test("Q1: an earlier wish that came during a reconcile wins over its own later one", () => {
  const { queue } = newQueue();
  queue.add(request("a", 10));
  const taken = queue.take(10);
  queue.add(request("a", 11));
  if (taken) queue.again({ ...taken, dueMs: 500 });
  expect(queue.earliestDueMs()).toBe(11);
});

test("Q3: a saved state stands with its request, also when its time is brought forward, and goes with it", () => {
  const { sql, queue } = newQueue();
  queue.again({ ...request("a", 100), attempts: 0, savedState: "seen 3" });
  queue.save();
  const reopened = new WorkQueue(sql);
  reopened.add(request("a", 10));
  expect(reopened.take(10)).toMatchObject({ dueMs: 10, savedState: "seen 3" });
  reopened.again({ ...request("a", 200), attempts: 0 });
  reopened.save();
  expect(new WorkQueue(sql).take(200)?.savedState).toBeUndefined();
});
