// What the store keeps in memory: parsed objects and the newest changes, each within its bound, and never in the place of what is stored.
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

describe("parsed objects", () => {
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

  test("S9: they are kept up to the bound and no further, and the newest is among them", () => {
    const { put, kept, bytes } = cacheOf(100);
    for (let at = 0; at < 50; at++) {
      put(`n${at}`, 9);
      expect(bytes()).toBeLessThanOrEqual(100);
      expect(kept()).toContain(`n${at}`);
    }
    // Nor is the bound kept by keeping next to nothing.
    expect(bytes()).toBeGreaterThanOrEqual(50);
  });

  test("S9: those that fit are all kept", () => {
    const { put, kept } = cacheOf(100);
    for (const name of ["a", "b", "c", "d", "e"]) put(name, 10);
    expect(kept()).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("S9: one that is read stays while others come and go; one that is not read goes", () => {
    const { cache, put, kept } = cacheOf(100);
    put("read", 10);
    put("unread", 10);
    for (let at = 0; at < 50; at++) {
      put(`n${at}`, 10);
      expect(cache.get("read")).toEqual(objectOf("read"));
    }
    expect(kept()).toContain("read");
    expect(kept()).not.toContain("unread");
    expect(cache.get("unread")).toBeUndefined();
  });

  test("S9: one that is written again counts once, with its new bytes", () => {
    const { cache, put, kept } = cacheOf(100);
    put("other", 10);
    for (let at = 0; at < 50; at++) put("same", 10 + (at % 2));
    expect([kept(), cache.textOf("same")?.length]).toEqual([["other", "same"], 11]);
  });

  test("S9: one that is deleted is gone, wherever it stood, and makes room for others", () => {
    const { cache, put, kept } = cacheOf(100);
    for (const name of ["a", "b", "c", "d", "e", "f"]) put(name, 10);
    for (const name of ["a", "f"]) cache.delete(name);
    expect(kept()).toEqual(["b", "c", "d", "e"]);
    for (let at = 0; at < 50; at++) {
      put(`n${at}`, 10);
      cache.delete(`n${at}`);
    }
    cache.delete("never there");
    expect(kept()).toEqual(["b", "c", "d", "e"]);
  });
});

describe("the newest changes", () => {
  const pushed = (count: number, text = "{}") => {
    const recent = new RecentChanges();
    for (let revision = 1; revision <= count; revision++) recent.push(change(revision, text));
    return recent;
  };
  const revisions = (changes: readonly Change[] | undefined) => changes?.map(({ revision }) => revision);

  test("S9: those after a revision are given whole or not at all", () => {
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

  test("S9: they are bounded in number, and as many as one reader takes at once are always there", () => {
    const recent = new RecentChanges();
    const most = 2 * limits.changeBatch;
    let oldest = 1;
    for (let revision = 1; revision <= 3 * most; revision++) {
      recent.push(change(revision));
      while (recent.since(oldest - 1) === undefined) oldest++;
      const kept = revision - oldest + 1;
      expect(kept).toBeLessThanOrEqual(most);
      expect(kept).toBeGreaterThanOrEqual(Math.min(revision, limits.changeBatch));
    }
    expect(revisions(recent.since(3 * most - 2))).toEqual([3 * most - 1, 3 * most]);
  });

  test("S9: they are bounded in bytes, however few they are then", () => {
    const text = "x".repeat(100_000);
    const recent = new RecentChanges();
    for (let revision = 1; revision <= 100; revision++) {
      recent.push(change(revision, text));
      const kept = [...Array(revision).keys()].map((since) => recent.since(since)?.length ?? 0);
      const bytes = Math.max(...kept) * text.length;
      expect(bytes).toBeLessThanOrEqual(2 * limits.recentChangeBytes);
      expect(bytes).toBeGreaterThan(Math.min(revision * text.length, limits.recentChangeBytes) - text.length - 1);
    }
  });
});

test("S9: of changes that all have read few bytes stay, the newest one at least", () => {
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

test("S9: the newest change is kept, however large, and the one after it alone drives it out", () => {
  const recent = new RecentChanges();
  const large = "x".repeat(3 * limits.recentChangeBytes);
  recent.push(change(1));
  recent.push(change(2, large));
  expect([recent.since(0), recent.since(1)?.length]).toEqual([undefined, 1]);
  recent.push(change(3, large));
  expect([recent.since(1), recent.since(2)?.length]).toEqual([undefined, 1]);
});

test("S9: the text of an object is at hand for that very object, while it is kept", () => {
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

test("S9: a store whose objects are more than memory may hold answers with what is stored", () => {
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
  // What they replace is known though they are not at hand: the room that they take is theirs.
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

test("S9: what is at hand is not read again: lists, numbers, names that are not there, and the newest changes", () => {
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
    const found = [names, store.size("notes"), store.get(key("none")), store.changesSince(0, 10).length];
    return { found, queries: queries - before };
  };
  put("a");
  put("b");
  const found = [["a", "b"], 2, undefined, 2];
  expect(reads()).toEqual({ found, queries: expect.any(Number) as number });
  expect(reads()).toEqual({ found, queries: 0 });
  put("a");
  expect(reads()).toEqual({ found: [["a", "b"], 2, undefined, 3], queries: 0 });
  // One that comes is in the list; of it alone the keys are read.
  put("c");
  expect(reads()).toEqual({ found: [["a", "b", "c"], 3, undefined, 4], queries: 1 });
});

test.each([
  ["that no row can hold", { text: "x".repeat(limits.objectBytes) }],
  [
    "of more entries than may be",
    Object.fromEntries(Array.from({ length: limits.objectEntries + 1 }, (_, at) => [`a${at}`, ""])),
  ],
])("B3: an object %s is refused whole", (_, annotations) => {
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

test("S1: what is frozen is frozen all through, and what cannot be is given back as it is", () => {
  const value = { list: [{ inner: { deep: 1 } }], text: "a", nothing: null };
  const frozen = freeze(value);
  expect(frozen).toBe(value);
  for (const one of [value, value.list, value.list[0], value.list[0]?.inner]) expect(Object.isFrozen(one)).toBe(true);
  expect([freeze(null), freeze("a"), freeze(undefined)]).toEqual([null, "a", undefined]);
});
