import { describe, expect, test } from "vitest";
import { ApiError } from "../../shared/k8s/status.ts";
import { parseJson } from "../../shared/schema/json.ts";

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError && error.code === 400) return error.message;
    throw error;
  }
  return "accepted";
}

describe("duplicate fields", () => {
  test.each([
    ['{"a":1,"b":{"c":[{"d":1}]}}', []],
    ['{"a":1,"a":2}', ["a"]],
    ['{"metadata":{"labels":{"a":"1","b":"2","a":"3","a":"4"}}}', ["metadata.labels.a"]],
    ['{"spec":{"containers":[{"name":"x"},{"name":"y", "name" :"z"}]}}', ["spec.containers[1].name"]],
    ['{"a":"\\":\\"","b":"x\\\\","c":":"}', []],
    ['{"a\\u0062":1,"ab":2}', ["ab"]],
    ['{"__proto__":1,"__proto__":2}', ["__proto__"]],
    ['["a","a"]', []],
  ])("are found in %s", (text, duplicates) => {
    expect(parseJson(text)).toMatchObject({ value: JSON.parse(text), duplicates });
  });
});

describe("a malformed text", () => {
  test.each([
    ["", "unexpected end of JSON input"],
    ["{", "unexpected end of JSON input"],
    ['{"a":1', "unexpected end of JSON input"],
    ["foo", "invalid character 'o' in literal false (expecting 'a')"],
    ["x", "invalid character 'x' looking for beginning of value"],
    ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ["[1 2]", "invalid character '2' after array element"],
    ["[1,]", "invalid character ']' looking for beginning of value"],
    ["{} {}", "invalid character '{' after top-level value"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ["-", "unexpected end of JSON input"],
    ["1.x", "invalid character 'x' after decimal point in numeric literal"],
    ["01", "invalid character '1' after top-level value"],
  ])("is a 400 with the message of Go's parser: %j", (text, message) => {
    expect(messageOf(() => parseJson(text))).toBe(message);
  });

  test("is reported with the path's kind, and the start of the body", () => {
    expect(messageOf(() => parseJson("foo", "Pod"))).toBe(
      "the object provided is unrecognized (must be of type Pod): couldn't get version/kind; json parse error: " +
        "invalid character 'o' in literal false (expecting 'a') (666f6f)",
    );
    expect(messageOf(() => parseJson("", "Pod"))).toMatch(/ \(<empty>\)$/);
    expect(messageOf(() => parseJson(`{"a": ${"x".repeat(40)}`, "Pod"))).toMatch(/ \(\{"a": x{24} \.\.\.\)$/);
  });

  test("is refused if its nesting would exhaust the stack", () => {
    expect(messageOf(() => parseJson("[".repeat(100_000) + "]".repeat(100_000)))).toBe("exceeded max depth");
  });
});
