// The memory of the store: parsed objects and recent changes, each bounded, and always equal to the stored state.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ObjectCache } from "../../worker/store/cache.ts";
import type { Change } from "../../worker/store/change.ts";
import { freeze } from "../../worker/store/freeze.ts";
import { RecentChanges } from "../../worker/store/recent-changes.ts";
import { Store } from "../../worker/store/store.ts";
import { createTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

const objectOf = (name: string): KubeObject => ({ apiVersion: "v1", kind: "Note", metadata: { name } });

function change(revision: number, text = "{}"): Change {
  const object = objectOf(`n${revision}`);
  return { revision, type: "ADDED", resource: "notes", namespace: "", name: "n", object, previous: undefined, text };
}

describe("the cache of parsed objects", () => {
  const cacheOf = (maxBytes: number) => {
    const cache = new ObjectCache(maxBytes);
    const names: string[] = [];
    return {
      cache,
      put: (name: string, bytes: number) => {
        if (!names.includes(name)) names.push(name);
        cache.set(name, objectOf(name), "x".repeat(bytes));
      },
      kept: () => names.filter((name) => cache.textOf(name) !== undefined),
      bytes: () => names.reduce((sum, name) => sum + (cache.textOf(name)?.length ?? 0), 0),
    };
  };

  test("S9: is filled up to the bound, and has the newest objects", () => {
    const { put, kept: cachedKeys, bytes } = cacheOf(100);
    for (let at = 0; at < 50; at++) {
      put(`n${at}`, 9);
      expect(bytes()).toBeLessThanOrEqual(100);
      expect(cachedKeys()).toContain(`n${at}`);
    }
    // The cache also uses a good part of its bound.
    expect(bytes()).toBeGreaterThanOrEqual(50);
  });

  test("S9: has all objects if they fit", () => {
    const { put, kept: cachedKeys } = cacheOf(100);
    for (const name of ["a", "b", "c", "d", "e"]) put(name, 10);
    expect(cachedKeys()).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("S9: keeps an object that is read while others are added, and evicts an object that is not read", () => {
    const { cache, put, kept: cachedKeys } = cacheOf(100);
    put("read", 10);
    put("unread", 10);
    for (let at = 0; at < 50; at++) {
      put(`n${at}`, 10);
      expect(cache.get("read")).toEqual(objectOf("read"));
    }
    expect(cachedKeys()).toContain("read");
    expect(cachedKeys()).not.toContain("unread");
    expect(cache.get("unread")).toBeUndefined();
  });

  test("S9: counts an object that is written again once, with its new size", () => {
    const { cache, put, kept: cachedKeys } = cacheOf(100);
    put("other", 10);
    for (let at = 0; at < 50; at++) put("same", 10 + (at % 2));
    expect([cachedKeys(), cache.textOf("same")?.length]).toEqual([["other", "same"], 11]);
  });

  test("S9: removes a deleted object, which frees space for others", () => {
    const { cache, put, kept: cachedKeys } = cacheOf(100);
    for (const name of ["a", "b", "c", "d", "e", "f"]) put(name, 10);
    for (const name of ["a", "f"]) cache.delete(name);
    expect(cachedKeys()).toEqual(["b", "c", "d", "e"]);
    for (let at = 0; at < 50; at++) {
      put(`n${at}`, 10);
      cache.delete(`n${at}`);
    }
    cache.delete("never there");
    expect(cachedKeys()).toEqual(["b", "c", "d", "e"]);
  });
});

describe("recent changes", () => {
  const pushed = (count: number, text = "{}") => {
    const recent = new RecentChanges();
    for (let revision = 1; revision <= count; revision++) recent.push(change(revision, text));
    return recent;
  };
  const revisions = (changes: readonly Change[] | undefined) => changes?.map(({ revision }) => revision);

  test("S9: after a revision are returned completely or not at all", () => {
    const recent = pushed(5);
    expect(revisions(recent.since(0))).toEqual([1, 2, 3, 4, 5]);
    expect(revisions(recent.since(3))).toEqual([4, 5]);
    expect(revisions(recent.since(5))).toEqual([]);
    const later = new RecentChanges();
    expect(later.since(0)).toBeUndefined();
    for (const revision of [3, 4, 5]) later.push(change(revision));
    expect(later.since(1)).toBeUndefined();
    expect(revisions(later.since(2))).toEqual([3, 4, 5]);
  });

  test("S9: are bounded in number, and at least one batch is available", () => {
    const recent = new RecentChanges();
    const most = 2 * limits.changeBatch;
    let oldest = 1;
    for (let revision = 1; revision <= 3 * most; revision++) {
      recent.push(change(revision));
      while (recent.since(oldest - 1) === undefined) oldest++;
      const changeCount = revision - oldest + 1;
      expect(changeCount).toBeLessThanOrEqual(most);
      expect(changeCount).toBeGreaterThanOrEqual(Math.min(revision, limits.changeBatch));
    }
    expect(revisions(recent.since(3 * most - 2))).toEqual([3 * most - 1, 3 * most]);
  });

  test("S9: are bounded in bytes, for any number of changes", () => {
    const text = "x".repeat(100_000);
    const recent = new RecentChanges();
    for (let revision = 1; revision <= 100; revision++) {
      recent.push(change(revision, text));
      const changeCounts = [...Array(revision).keys()].map((since) => recent.since(since)?.length ?? 0);
      const bytes = Math.max(...changeCounts) * text.length;
      expect(bytes).toBeLessThanOrEqual(2 * limits.recentChangeBytes);
      expect(bytes).toBeGreaterThan(Math.min(revision * text.length, limits.recentChangeBytes) - text.length - 1);
    }
  });
});

test("S9: recent changes that all informers have read are bounded to few bytes, at least the newest one", () => {
  const text = "x".repeat(limits.restingChangeBytes / 4);
  const recent = new RecentChanges();
  for (let revision = 1; revision <= 3; revision++) recent.push(change(revision, text));
  recent.rest();
  expect(recent.since(0)).toHaveLength(3);
  for (let revision = 4; revision <= 10; revision++) recent.push(change(revision, text));
  expect(recent.since(0)).toHaveLength(10);
  recent.rest();
  expect([recent.since(5), recent.since(6)?.length]).toEqual([undefined, 4]);
  recent.push(change(11, "x".repeat(2 * limits.restingChangeBytes)));
  recent.rest();
  expect([recent.since(9), recent.since(10)?.length]).toEqual([undefined, 1]);
});

test("S9: include the newest change of any size, and the next one alone evicts it", () => {
  const recent = new RecentChanges();
  const large = "x".repeat(3 * limits.recentChangeBytes);
  recent.push(change(1));
  recent.push(change(2, large));
  expect([recent.since(0), recent.since(1)?.length]).toEqual([undefined, 1]);
  recent.push(change(3, large));
  expect([recent.since(1), recent.since(2)?.length]).toEqual([undefined, 1]);
});

test("S9: the text of an object is available for that instance while it is cached", () => {
  const sql = nodeSql();
  createTables(sql);
  const store = new Store(sql);
  const key = { resource: "notes", namespace: "", name: "a" };
  const put = () => store.commit({ key, next: objectOf("a"), index: { owners: [], indexValue: "" }, cause: "" }).object;
  const first = put();
  expect(store.textOf(key, first)).toBe(JSON.stringify(first));
  const second = put();
  expect([store.textOf(key, first), store.textOf(key, second)]).toEqual([undefined, JSON.stringify(second)]);
  expect(store.textOf({ ...key, name: "b" }, second)).toBeUndefined();
  const opened = new Store(sql);
  expect(opened.textOf(key, second)).toBeUndefined();
  const read = opened.get(key);
  expect(read && opened.textOf(key, read)).toBe(JSON.stringify(second));
});

test("S9: a store with more objects than fit into memory returns what is stored", () => {
  const sql = nodeSql();
  createTables(sql);
  const store = new Store(sql);
  const text = "x".repeat(500_000);
  const put = (name: string, version: string) => {
    const next = { ...objectOf(name), metadata: { name, annotations: { version, text } } };
    const key = { resource: "notes", namespace: "", name };
    store.commit({ key, next, index: { owners: [], indexValue: "" }, cause: "" });
  };
  const names = Array.from({ length: 40 }, (_, at) => `n${String(at).padStart(2, "0")}`);
  for (const version of ["1", "2"]) for (const name of names) put(name, version);
  const versionOf = (object: KubeObject | undefined) => object?.metadata.annotations?.["version"];
  for (const name of names) expect(versionOf(store.get({ resource: "notes", namespace: "", name }))).toBe("2");
  expect([...store.list({ resource: "notes" })].map(versionOf)).toEqual(names.map(() => "2"));
  // The sizes of replaced objects count, although these are not cached.
  const room = new Store(sql, { nowMs: () => 0 }, { objects: 100, bytes: 21_000_000 });
  const next = { ...objectOf("n00"), metadata: { name: "n00", annotations: { text: text + text } } };
  const write = {
    key: { resource: "notes", namespace: "", name: "n00" },
    next,
    index: { owners: [], indexValue: "" },
    cause: "",
  };
  room.commit(write);
});

test("S9: cached lists, counts, absent names and recent changes are not read again", () => {
  const sql = nodeSql();
  createTables(sql);
  let queries = 0;
  const store = new Store({
    ...sql,
    all: (query, ...params) => {
      queries++;
      return sql.all(query, ...params);
    },
  });
  const key = (name: string) => ({ resource: "notes", namespace: "", name });
  const put = (name: string) =>
    store.commit({ key: key(name), next: objectOf(name), index: { owners: [], indexValue: "" }, cause: "" });
  const reads = () => {
    const before = queries;
    const names = [...store.list({ resource: "notes" })].map(({ metadata }) => metadata.name);
    const results = [names, store.size("notes"), store.get(key("none")), store.changesSince(0, 10).length];
    return { found: results, queries: queries - before };
  };
  put("a");
  put("b");
  const expected = [["a", "b"], 2, undefined, 2];
  expect(reads()).toEqual({ found: expected, queries: expect.any(Number) as number });
  expect(reads()).toEqual({ found: expected, queries: 0 });
  put("a");
  expect(reads()).toEqual({ found: [["a", "b"], 2, undefined, 3], queries: 0 });
  // A new object is in the list; only its key is read.
  put("c");
  expect(reads()).toEqual({ found: [["a", "b", "c"], 3, undefined, 4], queries: 1 });
});

test.each([
  ["larger than a row", { text: "x".repeat(limits.objectBytes) }],
  [
    "with too many entries",
    Object.fromEntries(Array.from({ length: limits.entriesPerObject + 1 }, (_, at) => [`a${at}`, ""])),
  ],
])("B3: an object %s is refused", (_, annotations) => {
  const sql = nodeSql();
  createTables(sql);
  const store = new Store(sql);
  const next = { ...objectOf("a"), metadata: { name: "a", annotations } };
  const write = {
    key: { resource: "notes", namespace: "", name: "a" },
    next,
    index: { owners: [], indexValue: "" },
    cause: "",
  };
  expect(() => store.commit(write)).toThrow(expect.objectContaining({ code: 413, reason: "RequestEntityTooLarge" }));
  expect([store.revision, store.get(write.key), sql.all("SELECT * FROM changes")]).toEqual([0, undefined, []]);
});

test("S1: freezing freezes all levels, and returns other values unchanged", () => {
  const value = { list: [{ inner: { deep: 1 } }], text: "a", nothing: null };
  const frozen = freeze(value);
  expect(frozen).toBe(value);
  for (const frozenValue of [value, value.list, value.list[0], value.list[0]?.inner])
    expect(Object.isFrozen(frozenValue)).toBe(true);
  expect([freeze(null), freeze("a"), freeze(undefined)]).toEqual([null, "a", undefined]);
});
