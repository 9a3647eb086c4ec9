import { describe, expect, test } from "vitest";
import {
  everything,
  formatLabels,
  formatLabelSelector,
  nothing,
  parseSelector,
  labelSelectorAsSelector,
  selectorFromSet,
} from "../../shared/k8s/selectors/labels.ts";
import { ApiError } from "../../shared/k8s/status.ts";

function refusal(text: string): string {
  try {
    parseSelector(text);
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`;
    throw error;
  }
  return "accepted";
}

describe("a label selector in a query", () => {
  test.each([2, 7_000])("matches a value in a set of %d", (count) => {
    const listed = Array.from({ length: count }, (_, at) => `v${at}`).join(",");
    const [inside, outside] = [parseSelector(`a in (${listed})`), parseSelector(`a notin (${listed})`)];
    for (const [labels, isListed] of [
      [{ a: "v1" }, true],
      [{ a: "v" }, false],
      [{ b: "v1" }, false],
    ] as const) {
      expect([inside.matches(labels), outside.matches(labels)]).toEqual([isListed, !isListed]);
    }
  });

  test.each([
    ["a=b", "a=b"],
    ["a==b", "a==b"],
    [" b != c , a ", "a,b!=c"],
    ["x in (foo,,baz),y,z notin ()", "x in (,baz,foo),y,z notin ()"],
    ["x in (b, a)", "x in (a,b)"],
    ["!a", "!a"],
    ["! a", "!a"],
    ["a>1,b<2", "a>1,b<2"],
    ["a=", "a="],
    ["a=,b", "a=,b"],
    ["in=in", "in=in"],
    ["notin in (in,notin)", "notin in (in,notin)"],
    ["x in (,)", "x in ()"],
    ["", ""],
  ])("prints canonically: %j", (text, printed) => {
    expect(parseSelector(text).toString()).toBe(printed);
  });

  test.each([
    ["a b", "400 unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["=a", "400 found '=', expected: !, identifier, or 'end of string'"],
    ["a,", "400 found '', expected: identifier after ','"],
    ["a=b c", "400 found 'c', expected: ',' or 'end of string'"],
    ["x in a", "400 unable to parse requirement: found 'a' expected: '('"],
    ["x in (a b)", "400 unable to parse requirement: found 'b', expected: ',' or ')'"],
    ["x in (a", "400 unable to parse requirement: found '', expected: ',' or ')'"],
    [
      "a>b",
      `400 unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      "@=b",
      "400 unable to parse requirement: <nil>: Invalid value: \"@\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
    [
      "a=b@",
      "400 unable to parse requirement: values[0][a]: Invalid value: \"b@\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ])("is refused with upstream's message: %j", (text, message) => {
    expect(refusal(text)).toBe(message);
  });

  test.each([
    ["a=b", { a: "b" }, true],
    ["a=b", { a: "c" }, false],
    ["a=b", {}, false],
    ["a!=b", {}, true],
    ["a notin (b)", { a: "b" }, false],
    ["a", { a: "" }, true],
    ["!a", { a: "" }, false],
    ["a>5", { a: "10" }, true],
    ["a<5", { a: "10" }, false],
    ["a<5", { a: "x" }, false],
    ["toString", {}, false],
    ["a in (b,c),d", { a: "c", d: "e" }, true],
  ])("matches as upstream: %j on %j", (text, labels, matches) => {
    expect(parseSelector(text).matches(labels as Record<string, string>)).toBe(matches);
  });
});

describe("a label selector of an object", () => {
  test("matches nothing if it is absent, and everything if it is empty", () => {
    expect(labelSelectorAsSelector(undefined).matches({})).toBe(false);
    expect(labelSelectorAsSelector({}).matches(undefined)).toBe(true);
    expect([everything.empty, nothing.empty, selectorFromSet(undefined).empty]).toEqual([true, false, true]);
  });
  test("prints sorted by key", () => {
    const selector = {
      matchLabels: { tier: "web", app: "x" },
      matchExpressions: [
        { key: "zone", operator: "NotIn", values: ["b", "a"] },
        { key: "c", operator: "DoesNotExist" },
      ],
    };
    expect(formatLabelSelector(selector)).toBe("app=x,!c,tier=web,zone notin (a,b)");
    expect(formatLabelSelector(undefined)).toBe("<none>");
    expect(formatLabelSelector({})).toBe("<none>");
    expect(formatLabelSelector({ matchExpressions: [{ key: "a", operator: "Bad" }] })).toBe("<error>");
    expect(formatLabels({ b: "2", a: "1" })).toBe("a=1,b=2");
  });
});
