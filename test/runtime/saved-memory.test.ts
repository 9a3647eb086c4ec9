// The memory of controllers of a seeded cluster.
import { expect, test } from "vitest";
import { mapFormat } from "../../worker/runtime/controller.ts";
import type { RunningController } from "../../worker/runtime/running-controllers.ts";
import { mostSavedCharacters, SavedMemory } from "../../worker/runtime/saved-memory.ts";
import { createTables, deleteObjects, metaRows, savedMemoryPrefix } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

function running(memory: Map<string, string>): RunningController {
  const controller = { name: "c", memoryFormat: mapFormat((saved: Map<string, string>) => saved) };
  return { controller, memory } as unknown as RunningController; // only what is read
}

function opened(sql = created()) {
  const memory = new Map<string, string>();
  return { sql, memory, saved: new SavedMemory(sql, [running(memory)]) };
}

function created() {
  const sql = nodeSql();
  createTables(sql);
  return sql;
}

test("C6: the memory of a controller is restored when the cluster is opened again", () => {
  const before = opened();
  before.memory.set("a", "1");
  before.saved.save();
  expect([...opened(before.sql).memory]).toEqual([["a", "1"]]);
  before.memory.clear();
  before.saved.save();
  expect(metaRows(before.sql, savedMemoryPrefix)).toEqual([]);
});

test("C6: unchanged memory is not written again, and memory beyond the bound is not saved", () => {
  const { sql, memory, saved } = opened();
  memory.set("a", "1");
  saved.save();
  const written = sql.rowsWritten();
  saved.save();
  expect(sql.rowsWritten()).toBe(written);
  memory.set("b", "x".repeat(mostSavedCharacters));
  saved.save();
  expect(opened(sql).memory.size).toBe(0);
});

test("C6: the memory of controllers goes with the objects of the cluster", () => {
  const { sql, memory, saved } = opened();
  memory.set("a", "1");
  saved.save();
  deleteObjects(sql);
  expect(opened(sql).memory.size).toBe(0);
});
