// Users' regular expressions: their matches, their costs and their bounds.
import { describe, expect, test } from "vitest";
import { keptPattern } from "../../shared/base/kept-patterns.ts";
import { budgetOf, compilePattern, isPattern, type NoPattern, type Pattern } from "../../shared/base/pattern.ts";
import { programBound } from "../../shared/base/pattern-size.ts";
import { seededRandom } from "../../shared/base/random.ts";
import { newTexts } from "./pattern-texts.ts";

const free = () => true;

function requirePattern(compiled: Pattern | NoPattern): Pattern {
  if (!isPattern(compiled)) throw new Error(compiled.error);
  return compiled;
}

/** Returns the units that one search charges. */
function unitsOf(source: string, text: string): number {
  let units = 0;
  requirePattern(compilePattern(source)).find(text, 0, (taken) => (units += taken) > 0);
  return units;
}

const letters = (count: number) => "a".repeat(count);

describe("P1: a user's expression", () => {
  test.each([
    ["nested repeats", "^(a+)+$", (count: number) => `${letters(count)}!`],
    ["alternatives that overlap", "^(a|aa)+$", (count: number) => `${letters(count)}!`],
    ["neighbours that overlap", "a*a*a*a*a*a*b", letters],
    ["an automaton that explodes", "(a|b)*a(a|b){14}c", (count: number) => "abbaabab".repeat(count / 8)],
    ["an automaton that explodes, with groups", "(a|b)*a(a|b){14}$", (count: number) => "abbaabab".repeat(count / 8)],
  ])("takes at most twice the work for twice the text: %s", (_, source, text) => {
    const [half, full] = [unitsOf(source, text(4000)), unitsOf(source, text(8000))];
    expect(full).toBeLessThan(2.2 * half + 50);
    expect(full).toBeLessThan(20_000);
  });

  test("stops when its units are spent, and matches nothing", () => {
    const pattern = requirePattern(compilePattern("(a?){500}a{500}b"));
    let spentUnits = 0;
    const spend = (units: number) => (spentUnits += units) < 1000;
    expect(pattern.test(letters(100_000), spend)).toBe(false);
    expect(spentUnits).toBeLessThan(1500);
    expect(pattern.find(`${letters(600)}b`, 0, budgetOf(10))).toBeUndefined();
    expect(pattern.find(`${letters(600)}b`, 0, free)?.groups[0]).toBe(`${letters(600)}b`);
  });

  test.each([
    ["(a{1000}){1000}", "expression too large"],
    ["(a{50}){30}", "invalid repeat count"],
    ["a{1000}".repeat(20), "expression too large"],
    ["(?:a{30}b{30}){300}", "expression too large"],
    ["x".repeat(100_000), "expression too large"],
    ["\\pL".repeat(500), "expression too large"],
    ["(a)".repeat(101), "expression too large"],
    ["(?=a)b", "invalid or unsupported Perl syntax"],
    ["(a)\\1", "invalid escape sequence"],
  ])("is refused if it is invalid: %.40s: %s", (source, why) => {
    expect(compilePattern(source)).toEqual({ error: expect.stringContaining(why) as string });
  });

  test("is never larger than its estimate", () => {
    const texts = newTexts(seededRandom(1));
    for (let round = 0; round < 3000; round++) {
      const { javascript } = texts.expression(4);
      const compiled = compilePattern(javascript);
      if (isPattern(compiled)) expect(compiled.size, javascript).toBeLessThanOrEqual(programBound(javascript));
    }
    for (const source of [
      "a{0,100}",
      "(?:(?:a*)*b?){0,30}",
      "(a)(b)?",
      "[^\\pL]{3}",
      "\\Qa.b\\E+",
      "|||",
      "a{3,}",
      "^$\\b",
    ])
      expect(requirePattern(compilePattern(source)).size, source).toBeLessThanOrEqual(programBound(source));
  });

  test("is charged for its compilation, and the cache of compiled ones is bounded", () => {
    expect(keptPattern("not known yet", budgetOf(1))).toEqual({ error: "error parsing regexp: expressions too large" });
    expect(isPattern(keptPattern("known now", free))).toBe(true);
    const keptOne = keptPattern("known now", free);
    expect(keptPattern("known now", free)).toBe(keptOne);
    for (let round = 0; round < 300; round++) keptPattern(`a{100}${round}`, free);
    expect(keptPattern("known now", free)).not.toBe(keptOne);
  });
});

test("P1: expressions match as JavaScript's do", () => {
  const texts = newTexts(seededRandom(2));
  for (let round = 0; round < 3000; round++) {
    const { javascript } = texts.expression(3);
    const text = texts.word();
    const match = requirePattern(compilePattern(javascript)).find(text, 0, free);
    const expectedMatch = new RegExp(javascript, "su").exec(text);
    expect(match?.start, `${javascript} in ${text}`).toBe(expectedMatch?.index);
  }
});

test("P1: an empty match does not directly follow another match", () => {
  const all = (source: string, text: string) =>
    [...requirePattern(compilePattern(source)).findAll(text, free)].map(({ start, groups }) => [start, groups[0]]);
  expect(all("a*", "baac")).toEqual([
    [0, ""],
    [1, "aa"],
    [4, ""],
  ]);
  expect(all("", "😀")).toEqual([
    [0, ""],
    [2, ""],
  ]);
  expect(all("\\bx", "xx x")).toEqual([
    [0, "x"],
    [3, "x"],
  ]);
});

test("P1: an expression has at most a hundred groups", () => {
  const groups = (count: number) => isPattern(compilePattern("(a)".repeat(count)));
  expect([groups(100), groups(101)]).toEqual([true, false]);
});
