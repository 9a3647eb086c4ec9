// The relative work of reads and writes.
import { expect, test } from "vitest";
import { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { Effort } from "../../worker/store/effort.ts";
import { Store } from "../../worker/store/store.ts";
import { createTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

function costOf(act: (effort: Effort) => void): { work: number; characters: number } {
  const meter = new WorkMeter();
  const effort = new Effort(meter);
  act(effort);
  return { work: meter.spent, characters: effort.characters };
}

test("B2: a write costs more than reading a row, and a row more than an object in memory", () => {
  expect(costOf((effort) => effort.accountWrite(0))).toEqual({ work: 300, characters: 0 });
  expect(costOf((effort) => effort.accountRead(0))).toEqual({ work: 30, characters: 0 });
  expect(costOf((effort) => effort.accountLookup())).toEqual({ work: 3, characters: 0 });
  expect(costOf((effort) => effort.accountLookup(5))).toEqual({ work: 15, characters: 0 });
});

test("B2: large values cost by their characters, writes more than reads", () => {
  expect(costOf((effort) => effort.accountWrite(15_000))).toEqual({ work: 600, characters: 15_000 });
  expect(costOf((effort) => effort.accountRead(15_000))).toEqual({ work: 120, characters: 15_000 });
});

test("B2: a store counts writes, reads, and objects in memory", () => {
  const sql = nodeSql();
  createTables(sql);
  const key = { resource: "notes", namespace: "", name: "a" };
  const next = { apiVersion: "v1", kind: "Note", metadata: { name: "a", annotations: { text: "x".repeat(60_000) } } };
  const first = new Store(sql);
  const cost = (store: Store, act: () => unknown) => {
    const before = { work: store.meter.spent, characters: store.effort.characters };
    act();
    return [Math.round(store.meter.spent - before.work), store.effort.characters - before.characters];
  };
  const write = { key, next, index: { owners: [], indexValue: "" }, cause: "" };
  const [work = 0, characters = 0] = cost(first, () => first.commit(write));
  expect(work).toBeGreaterThan(300 + 60_000 / 50);
  expect(characters).toBeGreaterThan(60_000);
  expect(cost(first, () => first.get(key))).toEqual([3, 0]);
  const opened = new Store(sql);
  const [workRead = 0, charactersRead] = cost(opened, () => opened.get(key));
  expect(charactersRead).toBe(characters);
  expect(workRead).toBeGreaterThan(30 + 60_000 / 170);
  expect(cost(opened, () => opened.get(key))).toEqual([3, 0]);
});
