// The storage limits of a cluster: in the store, for users' requests, and for its controllers.
import { expect, test } from "vitest";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { Bounds } from "../../worker/store/storage-quota.ts";
import { Store, type Write } from "../../worker/store/store.ts";
import { createTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

const clock = { nowMs: () => 0 };
const roomy: Bounds = { objects: 1_000_000, bytes: 1_000_000 };

function newStore(bounds: Partial<Bounds>) {
  const sql = nodeSql();
  createTables(sql);
  const all = { ...roomy, ...bounds };
  return { sql, store: new Store(sql, clock, all), again: () => new Store(sql, clock, all) };
}

function put(store: Store, name: string, text = "", reserve?: Write["reserve"]): void {
  const next: KubeObject = { apiVersion: "v1", kind: "Note", metadata: { name, annotations: { text } } };
  store.commit({ key: keyOf(name), next, index: { owners: [], indexValue: "" }, cause: "", reserve });
}

function drop(store: Store, name: string): void {
  store.commit({ key: keyOf(name), next: null, index: { owners: [], indexValue: "" }, cause: "" });
}

function keyOf(name: string) {
  return { resource: "notes", namespace: "", name };
}

/** Returns the message of the refusal; undefined if there is none. */
function refusal(act: () => void): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error).toMatchObject({ code: 429, reason: "TooManyRequests", details: { retryAfterSeconds: 1 } });
    return error.message;
  }
}

test("B1: an object beyond the limit is refused and nothing is written; deletions free space, and updates need none", () => {
  const { store } = newStore({ objects: 2 });
  put(store, "a");
  put(store, "b");
  const before = store.revision;
  expect(refusal(() => put(store, "c"))).toBe(
    "exceeded limit of this sandbox: requested: objects=1, used: objects=2, limited: objects=2",
  );
  expect(store.revision).toBe(before);
  put(store, "a", "changed");
  drop(store, "b");
  put(store, "c");
  expect(refusal(() => put(store, "d"))).toBeDefined();
});

test("B1: bytes of current objects are counted, and shrinking updates always fit", () => {
  const { store } = newStore({ bytes: 1000 });
  put(store, "a", "x".repeat(600));
  expect(refusal(() => put(store, "b", "x".repeat(600)))).toMatch(
    /requested: bytes=7\d\d, used: bytes=7\d\d, limited: bytes=1000$/,
  );
  expect(refusal(() => put(store, "a", "x".repeat(1000)))).toBeDefined();
  put(store, "a", "x".repeat(10));
  put(store, "b", "x".repeat(600));
});

test("B1: a cluster that is opened again knows its usage", () => {
  const { store, again } = newStore({ objects: 2, bytes: 400 });
  put(store, "a");
  put(store, "b");
  const opened = again();
  expect(refusal(() => put(opened, "c"))).toContain("used: objects=2");
  expect(refusal(() => put(opened, "a", "x".repeat(400)))).toContain("bytes");
  drop(opened, "a");
  put(opened, "c");
  expect(refusal(() => put(opened, "d"))).toContain("used: objects=2");
});

test("B1: the reserve is for writes that may use it, and is limited too", () => {
  const { store } = newStore({ objects: 16 });
  for (let index = 0; index < 16; index++) put(store, `a${index}`);
  expect(refusal(() => put(store, "b", "", "changes"))).toBeDefined();
  put(store, "b", "", "all");
  expect(refusal(() => put(store, "c", "", "all"))).toContain("used: objects=16");
});

test("B1: the reserve can be limited to updates, and has a bound of bytes", () => {
  const { store } = newStore({ bytes: 1600 });
  put(store, "a", "x".repeat(700));
  put(store, "b", "x".repeat(600));
  expect(refusal(() => put(store, "b", "x".repeat(750)))).toContain("limited: bytes=1600");
  put(store, "b", "x".repeat(750), "changes");
  expect(refusal(() => put(store, "b", "x".repeat(900), "changes"))).toContain("used: bytes=1600, limited: bytes=1600");
});

test("B1: exactly the available space can be used", () => {
  const { store } = newStore({ objects: 16 });
  for (let index = 2; index < 16; index++) put(store, `a${index}`);
  expect(refusal(() => store.requireQuota(2))).toBeUndefined();
  expect(refusal(() => store.requireQuota(3))).toContain("requested: objects=3, used: objects=14, limited: objects=16");
  put(store, "a");
  expect(refusal(() => store.requireQuota(1))).toBeUndefined();
  put(store, "b");
  // The reserve is not available for these.
  expect(refusal(() => store.requireQuota(1))).toBeDefined();
  expect(refusal(() => store.requireQuota(0))).toBeUndefined();
});

test("B1: writes that do not grow still succeed if the limit was lowered below the usage", () => {
  const { sql, store } = newStore({});
  for (const name of ["a", "b", "c"]) put(store, name, "x".repeat(100));
  const lowered = new Store(sql, clock, { objects: 1, bytes: 10 });
  put(lowered, "a", "y".repeat(100));
  put(lowered, "a", "");
  drop(lowered, "b");
  expect(refusal(() => put(lowered, "a", "x"))).toContain("requested: bytes=1, used: bytes=10, limited: bytes=10");
  expect(refusal(() => put(lowered, "d"))).toContain("used: objects=1, limited: objects=1");
});
