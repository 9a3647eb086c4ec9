// Stored values in other formats: each is read, or dropped as if it were absent. Every change of a stored format needs a test here.
import { expect, test } from "vitest";
import { readStored } from "../../shared/base/stored-json.ts";
import { stateVersion } from "../../shared/state/format.ts";
import { newestVersion } from "../../worker/cluster/base/fresh-base.ts";
import { keptBase, keepBase } from "../../worker/cluster/base/kept-base.ts";
import { parseSavedState } from "../../worker/controllers/horizontal-pod-autoscaler/state.ts";
import { migrations, createTables, writeMeta } from "../../worker/store/tables.ts";
import { tenantMigrations } from "../../worker/tenant/tables.ts";
import { testBase } from "../base.ts";
import { newCluster } from "../cluster.ts";
import { nodeSql } from "../sqlite.ts";

test("S2: a new format of stored values has its own version number", () => {
  // Older versions cannot read a base of a later one, so its coming needs a migration, as does a change of tables.
  expect({
    base: newestVersion,
    state: stateVersion,
    cluster: migrations.length,
    tenant: tenantMigrations.length,
  }).toEqual({
    base: 3,
    state: 1,
    cluster: 10,
    tenant: 7,
  });
});

test("S2: a request for a removed controller is dropped", () => {
  const sql = nodeSql();
  createTables(sql);
  sql.run("INSERT INTO queue VALUES ('no-such-controller', 'default', 'a', 0, 3, 'half done', NULL, 0)");
  const cluster = newCluster({ sql, controllers: [] });
  cluster.runUntilQuiet();
  expect(cluster.runtime.pending()).toEqual([]);
});

test("S2: a controller's saved state in another format is ignored", () => {
  const newest = { nextMs: 1, failures: 0, recommendations: [], scaleUpEvents: [], scaleDownEvents: [] };
  expect(parseSavedState(JSON.stringify(newest))).toEqual(newest);
  const older = { next: 1, advice: [] };
  for (const text of [JSON.stringify(older), "", "{", "null", "7", undefined])
    expect(parseSavedState(text)).toBeUndefined();
  expect(readStored<{ a: number }>('{"a":1,"b":2}', ["a"])).toEqual({ a: 1, b: 2 });
});

test("S2: a cluster whose base has an unknown version is not opened as one without base", () => {
  const sql = nodeSql();
  createTables(sql);
  keepBase(sql, { ...testBase(0), version: 99 });
  expect(() => keptBase(sql)).toThrow(/version/);
  writeMeta(sql, "base", "{");
  expect(() => keptBase(sql)).toThrow();
});
