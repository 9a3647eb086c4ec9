import { describe, expect, test } from "vitest";
import { jsonDiff } from "../../shared/k8s/diff.ts";

describe("a diff of two values", () => {
  test("is empty for equal values", () => {
    expect(jsonDiff({ b: 1, a: [{ d: 2, c: 3 }] }, { b: 1, a: [{ d: 2, c: 3 }] })).toBe("");
  });
  test("shows a change with three lines of context", () => {
    const before = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9 };
    expect(jsonDiff(before, { ...before, e: 50 })).toBe(
      '@@ -3,7 +3,7 @@\n  "b": 2,\n  "c": 3,\n  "d": 4,\n- "e": 5,\n+ "e": 50,\n  "f": 6,\n  "g": 7,\n  "h": 8,\n',
    );
  });
  test("shows distant changes in separate hunks with line numbers", () => {
    const before = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`k${String(at).padStart(2, "0")}`, at]));
    const { k00: _, k01, ...rest } = before;
    const diff = jsonDiff(before, { k00: "x", k01, k01a: "new", ...rest, k25: "y" });
    expect(diff.match(/^@@.*$/gm)).toEqual(["@@ -1,6 +1,7 @@", "@@ -24,7 +25,7 @@"]);
    expect(diff.match(/^[-+] .*$/gm)).toEqual([
      '- "k00": 0,',
      '+ "k00": "x",',
      '+ "k01a": "new",',
      '- "k25": 25,',
      '+ "k25": "y",',
    ]);
  });
});
