// A change log that is being copied keeps its rows.
import { expect, test } from "vitest";
import { copyLimits } from "../../shared/base/share-limits.ts";
import { limits } from "../../shared/base/limits.ts";
import { Store } from "../../worker/store/store.ts";
import { createTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

function agingStore() {
  const sql = nodeSql();
  createTables(sql);
  const clock = { ms: 1e12, nowMs: (): number => clock.ms };
  const store = new Store(sql, clock);
  const age = () => {
    for (let at = 0; at < 24; at++) {
      clock.ms += limits.changeLogMs / 10;
      const key = { resource: "configmaps", namespace: "n", name: "a" };
      const next = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "n" } };
      store.commit({ key, next, index: { owners: [], indexValue: "" }, cause: "[]" });
    }
  };
  return { store, clock, age };
}

test("a store compacts its log with age, not while it is copied, and again afterwards", () => {
  const { store, clock, age } = agingStore();
  age();
  const before = store.compacted;
  expect(before).toBeGreaterThan(0);
  store.pauseCompaction(clock.ms + 3 * limits.changeLogMs);
  age();
  expect(store.compacted).toBe(before);
  age();
  expect(store.compacted).toBeGreaterThan(before);
});

test("a copy that goes on in time keeps the log for less than it holds", () => {
  expect(copyLimits.pauseMs).toBeLessThan(limits.changeLogMs);
});
