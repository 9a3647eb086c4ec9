// What was used last is kept, up to a size.
import { expect, test } from "vitest";
import { Generations } from "../../shared/base/generations.ts";

test("S9: what is used stays, and what was not used while half of the bound came is gone", () => {
  const generations = new Generations<string, number>(8);
  generations.set("used", 1);
  generations.set("unused", 2);
  for (const name of "abcdefghij") {
    generations.set(name, 0);
    expect(generations.get("used")).toBe(1);
  }
  expect(generations.peek("unused")).toBeUndefined();
});

test("S9: sizes are counted, and what is taken back counts no more", () => {
  const generations = new Generations<string, string>(20, (text) => text.length);
  generations.set("a", "12345");
  generations.set("a", "123");
  generations.set("b", "1234567");
  // Ten characters are half of the bound: both are young still.
  generations.delete("b");
  generations.set("c", "1234567");
  generations.set("d", "1");
  for (const name of ["e", "f"]) generations.set(name, "12345678901");
  expect(["a", "b", "c", "d", "e", "f"].map((name) => generations.peek(name)?.length)).toEqual([
    ...[undefined, undefined, undefined, undefined, undefined, 11],
  ]);
});

test("S9: a look without a use does not keep anything", () => {
  const generations = new Generations<number, number>(4);
  for (let at = 0; at < 10; at++) {
    generations.set(at, at);
    generations.peek(0);
  }
  expect(generations.peek(0)).toBeUndefined();
  expect(generations.get(9)).toBe(9);
});
