// What was used last is kept, up to a size.
import { expect, test } from "vitest";
import { BoundedCache } from "../../shared/base/bounded-cache.ts";

test("S9: what is used stays, and what was not used while half of the bound came is gone", () => {
  const kept = new BoundedCache<string, number>(8);
  kept.set("used", 1);
  kept.set("unused", 2);
  for (const name of "abcdefghij") {
    kept.set(name, 0);
    expect(kept.get("used")).toBe(1);
  }
  expect(kept.peek("unused")).toBeUndefined();
});

test("S9: sizes are counted, and what is taken back counts no more", () => {
  const kept = new BoundedCache<string, string>(20, (text) => text.length);
  kept.set("a", "12345");
  kept.set("a", "123");
  kept.set("b", "1234567");
  // Ten characters are half of the bound: both are young still.
  kept.delete("b");
  kept.set("c", "1234567");
  kept.set("d", "1");
  for (const name of ["e", "f"]) kept.set(name, "12345678901");
  expect(["a", "b", "c", "d", "e", "f"].map((name) => kept.peek(name)?.length)).toEqual([
    ...[undefined, undefined, undefined, undefined, undefined, 11],
  ]);
});

test("S9: a look without a use does not keep anything", () => {
  const kept = new BoundedCache<number, number>(4);
  for (let at = 0; at < 10; at++) {
    kept.set(at, at);
    kept.peek(0);
  }
  expect(kept.peek(0)).toBeUndefined();
  expect(kept.get(9)).toBe(9);
});

test("S9: it never holds more than its limit, and holds nothing once it is cleared", () => {
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
