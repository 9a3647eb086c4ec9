import { describe, expect, test } from "vitest";
import { parseFieldSelector } from "../../shared/k8s/selectors/fields.ts";

describe("a field selector", () => {
  test("is a conjunction of equalities and inequalities", () => {
    const selector = parseFieldSelector("status.phase!=Running,spec.nodeName==a,metadata.name=x");
    expect(selector.terms).toEqual([
      { field: "metadata.name", operator: "=", value: "x" },
      { field: "spec.nodeName", operator: "=", value: "a" },
      { field: "status.phase", operator: "!=", value: "Running" },
    ]);
    const values = { "metadata.name": "x", "spec.nodeName": "a", "status.phase": "Pending" };
    expect(selector.matches(values)).toBe(true);
    expect(selector.matches({ ...values, "status.phase": "Running" })).toBe(false);
  });
  test("matches everything if it is empty", () => {
    expect(parseFieldSelector("").matches({})).toBe(true);
    expect(parseFieldSelector(",").terms).toEqual([]);
  });
  test("unescapes comma, equals and backslash", () => {
    expect(parseFieldSelector("a=b\\,c\\=d\\\\").terms).toEqual([{ field: "a", operator: "=", value: "b,c=d\\" }]);
  });
  test("is refused for a term without operator", () => {
    expect(() => parseFieldSelector("a=b,c")).toThrow("invalid selector: 'a=b,c'; can't understand 'c'");
    expect(() => parseFieldSelector("a=b=c")).toThrow("invalid field selector: unescaped character in value: 61");
    expect(() => parseFieldSelector("a=\\b")).toThrow("invalid field selector: invalid escape sequence: \\b");
  });
});
