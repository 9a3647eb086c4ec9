// The hash under which watches are stored in SQLite, which must be equal in all versions of the service.
import { expect, test } from "vitest";
import { hash64 } from "../../worker/runtime/hash.ts";

test.each([
  ["", "811c9dc59dc5811c"],
  ["a", "e40c292c"],
  ["foobar", "bf9cf968"],
])("W4: FNV-1a of %j begins with %s, in sixteen digits", (text, expected) => {
  const sum = hash64(text);
  expect(sum).toMatch(/^[0-9a-f]{16}$/);
  expect(sum.startsWith(expected)).toBe(true);
});

test("W4: texts that differ in one character differ in both halves", () => {
  const texts = Array.from({ length: 500 }, (_, at) => `spec-${at}`);
  for (const [from, to] of [
    [0, 8],
    [8, 16],
  ] as const)
    expect(new Set(texts.map((text) => hash64(text).slice(from, to))).size).toBe(texts.length);
});
