// Bounds of a tenant's usage: the rows of one answer, and the days for which it is kept.
import { expect, test } from "vitest";
import { createTenantTables } from "../../worker/tenant/tables.ts";
import { dayMs, Usage } from "../../worker/tenant/usage.ts";
import { nodeSql } from "../sqlite.ts";

const startMs = Date.UTC(2026, 0, 1);
const used = { awakeMs: 1, requests: 1, rowsRead: 1, rowsWritten: 1, bytes: 1, limits: [], isReady: false };

function newUsage() {
  const sql = nodeSql();
  createTenantTables(sql);
  return new Usage(sql);
}

test("J3: an answer has at most 10,000 rows, and by day it is one row", () => {
  const usage = newUsage();
  const report = (at: number) => usage.report({ ...used, id: `s${at}`, atMs: startMs }, { id: `s${at}`, name: "s" });
  const rows = (by: "day" | "sandbox") => usage.rowsBetween({ from: "2026-01-01", to: "2026-01-01", by }, [], startMs);
  for (let at = 0; at < 10_000; at++) report(at);
  expect(rows("sandbox")).toHaveLength(10_000);
  report(10_000);
  expect(rows("sandbox")).toBeUndefined();
  expect(rows("day")).toMatchObject([{ requests: 10_001 }]);
});

test("J3: usage older than 400 days is deleted", () => {
  const usage = newUsage();
  usage.report({ ...used, id: "a", atMs: startMs }, { id: "a", name: "a" });
  const rows = () => usage.rowsBetween({ from: "2026-01-01", to: "2026-01-01", by: "day" }, [], startMs)?.length;
  usage.forget(startMs + 400 * dayMs);
  expect(rows()).toBe(1);
  usage.forget(startMs + 401 * dayMs);
  expect(rows()).toBe(0);
});
