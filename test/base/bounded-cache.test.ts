// Tests of the cache that keeps the entries used last, up to a size.
import { expect, test } from "vitest";
import { BoundedCache } from "../../shared/base/bounded-cache.ts";

test("S9: a used entry stays, and an entry that was unused while half of the bound was added is evicted", () => {
  const cache = new BoundedCache<string, number>(8);
  cache.set("used", 1);
  cache.set("unused", 2);
  for (const name of "abcdefghij") {
    cache.set(name, 0);
    expect(cache.get("used")).toBe(1);
  }
  expect(cache.peek("unused")).toBeUndefined();
});

test("S9: sizes are summed, and a replaced entry is subtracted", () => {
  const cache = new BoundedCache<string, string>(20, (text) => text.length);
  cache.set("a", "12345");
  cache.set("a", "123");
  cache.set("b", "1234567");
  // Ten characters are half of the bound: both are young still.
  cache.delete("b");
  cache.set("c", "1234567");
  cache.set("d", "1");
  for (const name of ["e", "f"]) cache.set(name, "12345678901");
  expect(["a", "b", "c", "d", "e", "f"].map((name) => cache.peek(name)?.length)).toEqual([
    ...[undefined, undefined, undefined, undefined, undefined, 11],
  ]);
});

test("S9: a peek does not keep an entry", () => {
  const cache = new BoundedCache<number, number>(4);
  for (let at = 0; at < 10; at++) {
    cache.set(at, at);
    cache.peek(0);
  }
  expect(cache.peek(0)).toBeUndefined();
  expect(cache.get(9)).toBe(9);
});

test("S9: the cache never exceeds its limit, and is empty after a clear", () => {
  const cache = new BoundedCache<number, number>(6);
  const present = () => Array.from({ length: 100 }, (_, key) => key).filter((key) => cache.peek(key) !== undefined);
  for (let key = 0; key < 100; key++) {
    cache.set(key, key);
    expect(present().length).toBeLessThanOrEqual(6);
  }
  expect(present().length).toBeGreaterThanOrEqual(3);
  cache.clear();
  expect(present()).toEqual([]);
});
