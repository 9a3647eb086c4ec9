// Values in messages, as Go prints them.
import { describe, expect, test } from "vitest";
import { goJson, goNumber, goType, goValue } from "../../shared/k8s/go-text.ts";

describe("text in Go's format", () => {
  test.each([
    [5, "5"],
    [2 ** 53, "9007199254740992"],
    [1e20, "1e+20"],
    [1234567.5, "1.2345675e+06"],
    [0.00001, "1e-05"],
  ])("has the number %d as %s", (value, text) => {
    expect(goNumber(value)).toBe(text);
  });

  test.each<[unknown, string, string]>([
    [{ b: [1, "x"], a: null }, "map[string]interface {}", "map[a:<nil> b:[1 x]]"],
    [[], "[]interface {}", "[]"],
    [1.5, "float64", "1.5"],
    [true, "bool", "true"],
  ])("has %j with its type", (value, type, text) => {
    expect([goType(value), goValue(value)]).toEqual([type, text]);
  });

  test("has JSON that is safe in HTML", () => {
    expect(goJson({ rule: "a < b && c > d" })).toBe(String.raw`{"rule":"a \u003c b \u0026\u0026 c \u003e d"}`);
  });
});
