// Work as it is counted: what of it is dearer than what, and that nothing is free.
import { expect, test } from "vitest";
import { spend } from "../../shared/k8s/bounds/work.ts";
import { Effort } from "../../worker/store/effort.ts";
import { Store } from "../../worker/store/store.ts";
import { createTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

function costOf(act: (effort: Effort) => void): { units: number; characters: number } {
  const effort = new Effort();
  const before = effort.units;
  act(effort);
  // What other tests of the process have spent is a fraction.
  return { units: Math.round((effort.units - before) * 1e6) / 1e6, characters: effort.characters };
}

test("B2: a write costs more than a row that is read, and that more than an object that is at hand", () => {
  expect(costOf((effort) => effort.wrote(0))).toEqual({ units: 100, characters: 0 });
  expect(costOf((effort) => effort.read(0))).toEqual({ units: 10, characters: 0 });
  expect(costOf((effort) => effort.looked())).toEqual({ units: 1, characters: 0 });
  expect(costOf((effort) => effort.looked(5))).toEqual({ units: 5, characters: 0 });
});

test("B2: what is large costs by its characters, to write more than to read", () => {
  expect(costOf((effort) => effort.wrote(15_000))).toEqual({ units: 200, characters: 15_000 });
  expect(costOf((effort) => effort.read(15_000))).toEqual({ units: 40, characters: 15_000 });
});

test("B2: what rules and schemas cost counts beside, by its own unit", () => {
  expect(costOf(() => spend(1500))).toEqual({ units: 10, characters: 0 });
});

test("B2: a store counts its writes, what it reads back, and what it has at hand", () => {
  const sql = nodeSql();
  createTables(sql);
  const key = { resource: "notes", namespace: "", name: "a" };
  const next = { apiVersion: "v1", kind: "Note", metadata: { name: "a", annotations: { text: "x".repeat(60_000) } } };
  const first = new Store(sql);
  const cost = (store: Store, act: () => unknown) => {
    const before = { units: store.effort.units, characters: store.effort.characters };
    act();
    return [Math.round(store.effort.units - before.units), store.effort.characters - before.characters];
  };
  const write = { key, next, index: { owners: [], indexValue: "" }, cause: "" };
  const [units = 0, characters = 0] = cost(first, () => first.commit(write));
  expect(units).toBeGreaterThan(100 + 60_000 / 150);
  expect(characters).toBeGreaterThan(60_000);
  expect(cost(first, () => first.get(key))).toEqual([1, 0]);
  const opened = new Store(sql);
  const [unitsRead = 0, charactersRead] = cost(opened, () => opened.get(key));
  expect(charactersRead).toBe(characters);
  expect(unitsRead).toBeGreaterThan(10 + 60_000 / 500);
  expect(cost(opened, () => opened.get(key))).toEqual([1, 0]);
});
