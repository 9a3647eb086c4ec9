// No expression runs away: whatever it loops over, builds or compares is stopped.
import { limits } from "../../shared/base/limits.ts";
import { describe, expect, test } from "vitest";
import { dynValue } from "../../shared/cel/json-value.ts";
import { compile, evaluate } from "../../shared/cel/program.ts";
import { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { dynType } from "../../shared/cel/types.ts";
import type { Value } from "../../shared/cel/values.ts";

const stopped = "operation cancelled: actual cost limit exceeded";

function run(source: string, data: Readonly<Record<string, Value>> = {}, limit?: number, meter = new WorkMeter()) {
  const variables = new Map(Object.keys(data).map((name) => [name, dynType]));
  const compiled = compile(source, { variables });
  if (!("program" in compiled)) throw new Error(JSON.stringify(compiled));
  return evaluate(compiled.program, (name) => data[name], meter, limit);
}

const many = dynValue(Array.from({ length: 2000 }, (_item, index) => index));
const text = "x".repeat(100_000);

describe("expensive CEL expressions", () => {
  test.each([
    ["loops inside loops", "many.all(a, many.all(b, many.all(c, a + b + c >= 0)))"],
    ["an error that || would absorb", "many.exists(a, many.exists(b, many.exists(c, a + b + c < 0))) || true"],
    ["a list of lists", "many.map(a, many.map(b, many.map(c, [a, b, c]))).size() > 0"],
    [
      "comparing all with all",
      "many.filter(a, many.exists(b, b == a + 1)).filter(a, many.exists(b, b == a)).size() > 0",
    ],
    ["sorting a long list", "many.map(a, many).flatten().sort().size() > 0"],
    ["patterns over long texts", "many.all(a, text.matches('(a*)*b' + string(a)) || true)"],
  ])("are stopped, which the expression cannot absorb: %s", (_what, source) => {
    expect(run(source, { many, text })).toMatchObject({ error: stopped, isTooExpensive: true });
  });

  test.each([
    // The cost of these says too little of what they do: the call is counted, not what it makes.
    ["a list that doubles", doubling("optional.of([1, 2, 3, 4])", "x + x", 40)],
    [
      "a tree that doubles, compared",
      `${doubling("optional.of([1])", "[x, x]", 40)} == ${doubling("optional.of([1])", "[x, x]", 40)}`,
    ],
    ["a tree that doubles, as text", `'%s'.format([${doubling("optional.of([1])", "[x, x]", 40)}])`],
    ["a text in a text", "text.replace('', text).replace('', text).size() > 0"],
    ["a long range", "lists.range(1000000000).size() > 0"],
  ])("are stopped at their limit: %s", (_what, source) => {
    expect(run(source, { text })).toMatchObject({ isTooExpensive: true });
  });

  test.each([
    ["maps that are compared again and again", "many.all(a, wide == wide)"],
    ["a long text that is split for each character", "many.all(a, long.charAt(a) == 'x')"],
    ["a search in a long text for each character", "many.all(a, long.indexOf('y', a) < 0)"],
    ["times in a zone", "many.all(a, many.all(b, timestamp('2020-01-01T00:00:00Z').getHours('Europe/Berlin') >= 0))"],
  ])("B2: are stopped after little work: %s", (_what, source) => {
    const wide = dynValue(Object.fromEntries(Array.from({ length: 10_000 }, (_item, index) => [`k${index}`, index])));
    const meter = new WorkMeter();
    const data = { many, wide, long: "x".repeat(1_000_000) };
    const outcome = meter.within(() => run(source, data, undefined, meter));
    expect(outcome).toMatchObject({ isTooExpensive: true, isPastBudget: true });
    // The last step may be one comparison of two maps of 10,000 entries.
    expect(meter.spent).toBeLessThan(limits.requestWork * 2.5);
  });

  test("B2: share a budget within a turn, which is full again in the next turn", () => {
    const costly = "many.all(a, many.slice(0, 10).all(b, a >= 0 && b >= 0))";
    const meter = new WorkMeter();
    const results = () => Array.from({ length: 6 }, () => run(costly, { many }, undefined, meter));
    expect(results().map((result) => "value" in result)).toEqual([true, true, true, true, true, true]);
    const inTurn = meter.within(results);
    expect(inTurn[0]).toHaveProperty("value");
    expect(inTurn.at(-1)).toMatchObject({ error: stopped, isTooExpensive: true });
    expect(meter.within(() => run(costly, { many }, undefined, meter))).toHaveProperty("value");
  });

  test("are stopped sooner with a lower limit, and their cost is reported", () => {
    const outcome = run("many.all(a, a >= 0)", { many }, 100);
    expect(outcome).toMatchObject({ error: stopped, isTooExpensive: true });
    expect(outcome.cost).toBeGreaterThan(100);
    expect(outcome.cost).toBeLessThan(110);
  });
});

describe("deep and long CEL expressions", () => {
  test.each([
    ["parentheses", `${"(".repeat(300)}1${")".repeat(300)}`, "expression recursion limit exceeded: 250"],
    ["sums", `1${" + 1".repeat(300)}`, "max recursion depth exceeded"],
    ["selections", `a${".b".repeat(300)}`, "max recursion depth exceeded"],
    ["text", `'${"x".repeat(100_001)}'`, "expression code point size exceeds limit: size: 100003, limit 100000"],
  ])("are refused: %s", (_what, source, problem) => {
    expect(compile(source, { variables: new Map() })).toMatchObject({
      problems: expect.stringContaining(problem) as string,
    });
  });

  test("are not refused for a long chain of &&", () => {
    expect(run(`true${" && true".repeat(5000)}`)).toMatchObject({ value: true });
  });
});

/** The value, wrapped so often in an expression that names it x. */
function doubling(start: string, step: string, times: number): string {
  return `${start}${`.optMap(x, ${step})`.repeat(times)}.value()`;
}
