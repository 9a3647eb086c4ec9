// YAML as Go's parser reads it on the way to JSON, and where it ends.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { readYaml, readYamlDocuments } from "../../shared/schema/yaml/read.ts";
import { toYaml } from "../../shared/schema/yaml/write.ts";

const valueOf = (text: string) => readYaml(text).value;

describe("YAML scalars", () => {
  test.each<[string, unknown]>([
    ["yes", true],
    ["off", false],
    ["N", false],
    ["~", null],
    ["", null],
    ["12", 12],
    ["-0x1f", -31],
    ["0b101", 5],
    ["0o17", 15],
    ["017", 15],
    ["08", 8],
    ["1_000", 1000],
    ["+1.5e3", 1500],
    [".5", 0.5],
    ["1e999", "1e999"],
    ["18446744073709551615", 18446744073709551615],
    ["1:30", "1:30"],
    ["2001-12-14", "2001-12-14"],
    ["2001-12-14T21:59:43Z", "2001-12-14T21:59:43Z"],
    ["-", [null]],
    ["'1'", "1"],
    ["!!str 1", "1"],
    ["! 1", 1],
    ['!!int "1"', 1],
    ["!!float 1", 1],
    ["!!binary aGk=", "hi"],
    ["!mine x", "x"],
    ["!!set {a, b}", { a: null, b: null }],
    ["|\n  a\n  b\n", "a\nb\n"],
    [">-\n  a\n  b\n", "a b"],
  ])("have the value of Go's parser: %j", (text, value) => {
    expect(valueOf(text)).toEqual(value);
  });
});

describe("YAML maps", () => {
  test("have string keys, and the last of equal ones counts", () => {
    expect(readYaml("1: a\ntrue: b\n1.5: c\nk: d\nk: e\n")).toEqual({
      value: { "1": "a", true: "b", "1.5": "c", k: "e" },
      duplicates: [{ line: 5, field: "k", message: 'key "k" already set in map' }],
    });
  });

  test("report duplicate keys with their lines, in any notation", () => {
    expect(readYaml('a:\n  b: 1\n"a":\n  - 1\n1: x\n1: |\n  y\n').duplicates).toEqual([
      { line: 4, field: "a", message: 'key "a" already set in map' },
      { line: 6, field: "1", message: "key 1 already set in map" },
    ]);
  });

  test("merge other maps by a merge key, with earlier ones of a list first", () => {
    const text = "a: &a {x: 1, w: 1}\nb: &b {w: 2, z: 2}\nc: {<<: [*a, *b], z: 3}\nd: {<<: *a}\n";
    expect(valueOf(text)).toMatchObject({ c: { x: 1, w: 1, z: 3 }, d: { x: 1, w: 1 } });
  });

  test("may have keys of Object.prototype", () => {
    const value = valueOf("__proto__: {a: 1}\nconstructor: b\n<<: {toString: c}\n") as object;
    expect(Object.entries(value)).toEqual([
      ["__proto__", { a: 1 }],
      ["constructor", "b"],
      ["toString", "c"],
    ]);
  });
});

describe("refused YAML", () => {
  test.each([
    ["a: *b", "yaml: unknown anchor 'b' referenced"],
    ["a: &a [*a]", "yaml: anchor 'a' value contains itself"],
    ["<<: 1", "yaml: map merge requires map or sequence of maps as the value"],
    ["!!int a", "yaml: cannot decode !!str `a` as a !!int"],
    ["a: .inf", "json: unsupported value: +Inf"],
    ["name: {{ x }}", 'yaml: invalid map key: map[interface {}]interface {}{"x":interface {}(nil)}'],
    ["~: 1", "Unsupported map key of type: %!s(<nil>), key: <nil>, value: 1"],
    ["a: \u0001", "yaml: control characters are not allowed"],
    ["a: !!binary ???", "yaml: !!binary value contains invalid base64 data"],
  ])("has upstream's message for %j", (text, message) => {
    expect(() => valueOf(text)).toThrow(message);
  });
});

describe("bounds of YAML", () => {
  const many = (count: number, line: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => line(at)).join("");

  test("let the time of a wide map grow with its keys alone", () => {
    const text = many(limits.yamlNodes / 2 - 2, (at) => `key-${at}: v\n`);
    expect(Object.keys(valueOf(text) as object)).toHaveLength(limits.yamlNodes / 2 - 2);
  });

  test.each([
    ["keys", many(110_000, (at) => `key-${at}: v\n`)],
    ["items", many(110_000, () => "- 1\n")],
    ["items in brackets", `[${many(110_000, () => "1,")}]`],
    ["anchors", many(110_000, (at) => `- &a${at} x\n`)],
    ["tags", many(110_000, () => "- !!str x\n")],
  ])("refuse too many %s", (_, text) => {
    expect(() => valueOf(text)).toThrow("yaml: document has more than 100000 nodes");
  });

  test.each([
    ["brackets", "[".repeat(1_000_000)],
    ["items", "- ".repeat(1_000_000)],
    ["keys", Array.from({ length: 1500 }, (_, at) => `${" ".repeat(at)}a:\n`).join("")],
  ])("refuse %s that are too deep", (_, text) => {
    expect(() => valueOf(text)).toThrow("yaml: exceeded max");
  });

  test.each([
    ["a list of lists", (name: string) => `[${Array(9).fill(`*${name}`).join()}]`, "[x,x,x,x,x,x,x,x,x]"],
    ["a map of maps", (name: string) => `{a: *${name}, b: *${name}, c: *${name}, d: *${name}}`, "{a: 1}"],
  ])("refuse aliases that expand too far: %s", (_, next, first) => {
    const text = `a0: &a0 ${first}\n${many(12, (at) => `a${at + 1}: &a${at + 1} ${next(`a${at}`)}\n`)}`;
    expect(() => valueOf(text)).toThrow("yaml: document contains excessive aliasing");
  });

  test("refuse merge keys that expand too far", () => {
    const text = `a0: &a0 {k: 1}\n${many(3000, (at) => `a${at + 1}: &a${at + 1} {<<: *a${at}, k${at}: 1}\n`)}`;
    expect(() => valueOf(text)).toThrow("yaml: document contains excessive aliasing");
  });

  test("refuse too many directives", () => {
    expect(() => valueOf(`${many(50_000, (at) => `%TAG !a${at}! x\n`)}--- a`)).toThrow("yaml: too many directives");
  });

  test.each([
    ["long lines", `a: ${"x".repeat(3_000_000)}`],
    ["digits", `a: ${"1".repeat(3_000_000)}`],
    ["underscores", `a: 1${"_".repeat(3_000_000)}`],
    ["comments", "# a\n".repeat(700_000)],
    ["empty lines", `a: |\n${"\n".repeat(3_000_000)}`],
    ["block lines", `a: >\n${"  x\n".repeat(700_000)}`],
    ["brackets as keys", `${"[".repeat(900)}${"1,".repeat(90_000)}${"]: b".repeat(900)}`],
    ["open quotes", `a: "${"x\n ".repeat(900_000)}`],
    ["open brackets", `a: [${"[1], ".repeat(90_000)}\nb: c`],
  ])("read or refuse %s without delay", (_, text) => {
    try {
      readYaml(text);
    } catch (error) {
      expect((error as Error).message).toMatch(/^yaml: /);
    }
  });
});

describe("YAML documents", () => {
  const all = (text: string) => [...readYamlDocuments(text)].map(({ value }) => value);

  test("are separated by their markers, with the directives before them", () => {
    expect(all("a\n---\nb\n--- c\n...\n%YAML 1.1\n---\n!!str 1\n---\n")).toEqual(["a", "b", "c", "1", null]);
    expect(all("# only\n---\na: |\n  ---\n  x\n")).toEqual([{ a: "---\nx\n" }]);
  });

  test("after the first are ignored if one is read", () => {
    expect(valueOf("a: 1\n---\n[")).toEqual({ a: 1 });
  });
});

test("printed YAML is read back as the same value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as unknown;
      expect(valueOf(toYaml(plain))).toEqual(plain);
    }),
    { numRuns: 300 },
  );
});
