// A lease of a database that ends.
import { expect, test } from "vitest";
import { leaseOf } from "../../worker/store/lease.ts";
import { Store } from "../../worker/store/store.ts";
import { createTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

test("F3: the holder can neither read nor write after its lease ended", () => {
  const sql = nodeSql();
  createTables(sql);
  const lease = leaseOf(sql);
  const store = new Store(lease.sql);
  const key = { resource: "notes", namespace: "", name: "a" };
  const write = (of: Store, name: string) => {
    const next = { apiVersion: "v1", kind: "Note", metadata: { name } };
    return of.commit({ key: { ...key, name }, next, index: { owners: [], indexValue: "" }, cause: "[]" });
  };
  write(store, "a");
  lease.end(() => new Error("it is another's"));
  const rows = sql.all("SELECT * FROM changes");
  expect(() => write(store, "b")).toThrow("it is another's");
  expect(() => store.page({ resource: "notes", limit: 9 })).toThrow("it is another's");
  expect(() => store.page({ resource: "notes", limit: 9, revision: 0 })).toThrow("it is another's");
  expect(() => lease.sql.transaction(() => undefined)).toThrow("it is another's");
  expect(sql.all("SELECT * FROM changes")).toEqual(rows);
  expect(write(new Store(sql), "b").revision).toBe(2);
});
