// The guarantees of the work queue.
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

test("Q1: a request is in the queue at most once, at its earliest time", () => {
  const { queue } = newQueue();
  queue.add(request("a", 100));
  queue.add(request("a", 50));
  queue.add(request("a", 200));
  expect(queue.size).toBe(1);
  expect(queue.earliestDueMs()).toBe(50);
});

test("Q2: no request is taken before it is due, and the oldest request comes first", () => {
  const { queue } = newQueue();
  queue.add(request("late", 30));
  queue.add(request("first", 10));
  queue.add(request("second", 10));
  expect(queue.take(5)).toBeUndefined();
  expect([queue.take(20)?.name, queue.take(20)?.name, queue.take(20)?.name]).toEqual(["first", "second", undefined]);
});

test("Q3: requests are present after a restart, with their time and attempts", () => {
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

test("Q4: a request that is added and done before a save writes no row", () => {
  const { sql, queue } = newQueue();
  const before = sql.rowsWritten();
  queue.add(request("a", 10));
  queue.take(10);
  expect(queue.save().wrote).toBe(false);
  expect(sql.rowsWritten()).toBe(before);
});

test("Q4: the next save deletes a saved request that is done", () => {
  const { sql, queue } = newQueue();
  queue.add(request("a", 10));
  queue.save();
  queue.take(10);
  expect(queue.save().wrote).toBe(true);
  expect(new WorkQueue(sql).size).toBe(0);
});

test("Q1: an earlier time that was added during a reconcile takes precedence over its own later one", () => {
  const { queue } = newQueue();
  queue.add(request("a", 10));
  const taken = queue.take(10);
  queue.add(request("a", 11));
  if (taken) queue.again({ ...taken, dueMs: 500 });
  expect(queue.earliestDueMs()).toBe(11);
});

test("Q3: a saved state is stored with its request, also when its time moves forward, and removed with it", () => {
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

test("Q1: a later time does not delay a request, and an earlier time keeps its attempts", () => {
  const { queue } = newQueue();
  queue.again({ ...request("a", 100), attempts: 4 });
  queue.add(request("a", 100));
  queue.add(request("a", 300));
  expect(queue.all()).toMatchObject([{ dueMs: 100, attempts: 4 }]);
  queue.add(request("a", 20));
  expect(queue.take(20)).toMatchObject({ dueMs: 20, attempts: 4 });
  expect([queue.size, queue.earliestDueMs(), queue.take(1000)]).toEqual([0, undefined, undefined]);
});

test("Q2: a request that is due now is taken, and other namespaces and controllers are separate", () => {
  const { queue } = newQueue();
  for (const more of [{}, { namespace: "other" }, { controller: "other" }]) queue.add({ ...request("a", 10), ...more });
  expect(queue.size).toBe(3);
  expect(queue.take(9)).toBeUndefined();
  expect([queue.take(10), queue.take(10), queue.take(10)]).toMatchObject([
    { controller: "c", namespace: "ns" },
    { namespace: "other" },
    { controller: "other" },
  ]);
});

test("Q2: a request whose time moved forward is ordered by its new time", () => {
  const { queue } = newQueue();
  queue.add(request("a", 10));
  queue.add(request("b", 20));
  queue.add(request("b", 5));
  queue.add(request("c", 10));
  expect([1, 2, 3, 4].map(() => queue.take(30)?.name)).toEqual(["b", "a", "c", undefined]);
});

test("Q3: a removed request, due or not, is not taken, and is absent after a restart", () => {
  const { sql, queue } = newQueue();
  queue.add(request("a", 10));
  queue.add(request("b", 20));
  queue.save();
  expect(queue.get(request("a", 0))).toMatchObject({ dueMs: 10 });
  queue.remove(request("a", 0));
  queue.remove(request("never there", 0));
  expect([queue.get(request("a", 0)), queue.earliestDueMs(), queue.size]).toEqual([undefined, 20, 1]);
  expect(queue.save().wrote).toBe(true);
  expect(new WorkQueue(sql).all()).toMatchObject([{ name: "b", dueMs: 20 }]);
  expect(queue.take(30)?.name).toBe("b");
});

test("Q4: a request whose row was deleted is written when it is added again unchanged", () => {
  const { sql, queue } = newQueue();
  queue.add(request("a", 10));
  queue.save();
  queue.take(10);
  queue.save();
  queue.add(request("a", 10));
  expect([queue.save().wrote, new WorkQueue(sql).all()]).toMatchObject([true, [{ name: "a", dueMs: 10 }]]);
});

test("Q4: a save writes only differences, each once", () => {
  const { sql, queue } = newQueue();
  const rows = () => {
    const before = sql.rowsWritten();
    const wrote = queue.save().wrote;
    return [wrote, sql.rowsWritten() - before];
  };
  queue.add(request("a", 10));
  queue.add(request("b", 20));
  expect([rows(), rows()]).toEqual([
    [true, 2],
    [false, 0],
  ]);
  const taken = queue.take(10);
  if (taken) queue.again(taken);
  expect(rows()).toEqual([false, 0]);
  if (taken) queue.again({ ...taken, attempts: 1 });
  expect(rows()).toEqual([true, 1]);
  const again = queue.take(10);
  if (again) queue.again({ ...again, savedState: "s" });
  expect(rows()).toEqual([true, 1]);
  // A reopened queue has only saved requests.
  const reopened = new WorkQueue(sql);
  const before = sql.rowsWritten();
  expect([reopened.save().wrote, sql.rowsWritten() - before]).toEqual([false, 0]);
  reopened.add(request("c", 1));
  expect([reopened.take(1)?.name, reopened.take(10)?.name]).toEqual(["c", "a"]);
  expect([reopened.save().wrote, new WorkQueue(sql).all().map(({ name }) => name)]).toEqual([true, ["b"]]);
});

test("Q12: the newest change that triggered a request is stored with it, after failures and restarts too", () => {
  const { sql, queue } = newQueue();
  queue.add({ ...request("a", 10), reactsTo: 5 });
  queue.add({ ...request("a", 10), reactsTo: 7 });
  queue.add({ ...request("a", 10), reactsTo: 6 });
  queue.add(request("a", 10));
  const taken = queue.take(10);
  expect(taken?.reactsTo).toBe(7);
  if (taken) queue.again({ ...taken, dueMs: 50 });
  queue.save();
  expect(new WorkQueue(sql).all()).toMatchObject([{ name: "a", reactsTo: 7 }]);
  // If the time is unchanged, nothing is written.
  const before = sql.rowsWritten();
  queue.add({ ...request("a", 60), reactsTo: 9 });
  expect([queue.save().wrote, sql.rowsWritten() - before, queue.get(request("a", 0))?.reactsTo]).toEqual([false, 0, 9]);
});

test("Q6: requests that changes past a limit triggered are not written, and the first change to read again is returned", () => {
  const { sql, queue } = newQueue();
  queue.add({ ...request("old", 10), reactsTo: 5 });
  queue.add({ ...request("a", 10), reactsTo: 8 });
  queue.add({ ...request("a", 5), reactsTo: 12 });
  queue.add({ ...request("b", 10), reactsTo: 9 });
  queue.add(request("asked by nobody", 10));
  expect(queue.save(7)).toEqual({ wrote: true, heldFrom: 8 });
  const names = () => new WorkQueue(sql).all().map(({ name }) => name);
  expect(names().sort()).toEqual(["asked by nobody", "old"]);
  // The attempts and the result of the reconcile would be lost.
  const failed = queue.take(5);
  if (failed) queue.again({ ...failed, attempts: 1, dueMs: 20 });
  expect(queue.save(7)).toEqual({ wrote: true, heldFrom: 9 });
  // It is done; its row may stay for a while.
  expect(queue.take(10)?.name).toBe("old");
  expect(queue.save(7)).toEqual({ wrote: false, heldFrom: 9 });
  expect(names()).toContain("old");
  expect(queue.save()).toEqual({ wrote: true, heldFrom: undefined });
  expect(names().sort()).toEqual(["a", "asked by nobody", "b"]);
});

test("Q6: the latest requests that no change would restore are written alone", () => {
  const { sql, queue } = newQueue();
  const saved = () =>
    new WorkQueue(sql)
      .all()
      .map(({ name }) => name)
      .sort();
  queue.add(request("timed", 0));
  queue.add({ ...request("old", 0), reactsTo: 5 });
  queue.add({ ...request("restored", 0), reactsTo: 8 });
  queue.saveRecent(7);
  expect(saved()).toEqual(["old", "timed"]);
  expect(queue.take(0)?.name).toBe("timed");
  queue.saveRecent(7);
  expect(saved()).toEqual(["old", "timed"]);
  queue.again({ ...request("failed", 9), attempts: 1, reactsTo: 8, since: 8 });
  queue.saveRecent(7);
  expect(saved()).toEqual(["failed", "old", "timed"]);
  expect(queue.save().wrote).toBe(true);
  expect(saved()).toEqual(["failed", "old", "restored"]);
});

test("Q3: requests that are due at the same time keep their order when the queue is opened again", () => {
  const { sql } = newQueue();
  const queue = new WorkQueue(sql, true);
  const names = ["c", "a", "b"];
  for (const name of names) queue.add({ controller: "x", namespace: "", name, dueMs: 5 });
  const taken = queue.take(5);
  if (taken) queue.again(taken);
  queue.save();
  const opened = new WorkQueue(sql, true);
  opened.add({ controller: "x", namespace: "", name: "d", dueMs: 5 });
  expect([1, 2, 3, 4].map(() => opened.take(5)?.name)).toEqual(["a", "b", "c", "d"]);
});
