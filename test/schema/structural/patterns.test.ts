// Patterns of schemas and expressions over long texts.
import { WorkMeter } from "../../../shared/k8s/bounds/work.ts";
import { describe, expect, test } from "vitest";
import { compile, evaluate } from "../../../shared/cel/program.ts";
import { stringType } from "../../../shared/cel/types.ts";
import { path } from "../../../shared/k8s/field.ts";
import { schemaNode } from "../../../shared/schema/structural/node.ts";
import { validateStructural } from "../../../shared/schema/structural/structurality.ts";
import { validateValue } from "../../../shared/schema/structural/validate.ts";

const attacked = `${"a".repeat(100_000)}!`;
/** Each letter is another state of the automaton. */
const exploding = "(a|b)*a(a|b){900}c";
const random = Array.from({ length: 100_000 }, (_, at) => "ab".charAt(((at * 7919) >> 5) & 1)).join("");

function problems(pattern: string, value: unknown) {
  const node = schemaNode({ type: "array", items: { type: "string", pattern } });
  const meter = new WorkMeter();
  const errors = meter.within(() => validateValue(node, value, meter, undefined, path("spec")));
  return errors.map(({ message }) => message.replace(/^Invalid value: .*": /s, ""));
}

describe("P1: a pattern of a schema", () => {
  test("is matched in linear time", () => {
    expect(problems("^(a+)+$", [attacked])).toEqual(["[0] in body should match '^(a+)+$'"]);
    expect(problems("^(a+)+!$", [attacked])).toEqual([]);
  });

  test("ends the request when its budget is spent, with the place and the pattern", () => {
    expect(() => problems(exploding, ["c", random])).toThrow(
      `Request entity too large: [1] in body takes too long to be matched with '${exploding}'`,
    );
  });

  test("is bounded in size, alone and with all others of a definition", () => {
    const patternErrors = validateStructural(
      { type: "object", properties: { a: { type: "string", pattern: "a{999}".repeat(20) } } },
      path(),
      new WorkMeter(),
    );
    expect(patternErrors.map(({ message }) => message.replace(/^Invalid value: .*": /s, ""))).toEqual([
      "must be a valid regular expression, but isn't: error parsing regexp: expression too large",
    ]);
    const names = Array.from({ length: 100 }, (_, at) => `field${at}`);
    const properties = Object.fromEntries(
      names.map((name) => [name, { type: "string", pattern: `${name}a{900}` }] as const),
    );
    const meter = new WorkMeter();
    const errors = meter.within(() => validateStructural({ type: "object", properties }, path(), meter));
    expect(errors.length).toBeGreaterThan(50);
    expect(errors.length).toBeLessThan(100);
  });
});

describe("P1: a pattern of an expression", () => {
  const environment = { variables: new Map([["text", stringType]]) };
  const value = (source: string, text: string) => {
    const compiled = compile(source, environment);
    if (!("program" in compiled)) throw new Error(JSON.stringify(compiled));
    const meter = new WorkMeter();
    return meter.within(() => evaluate(compiled.program, () => text, meter));
  };

  test.each([
    ["text.matches('^(a+)+$')", attacked, false],
    ["text.find('a+!') == text", attacked, true],
    ["text.findAll('a{10}').size()", "a".repeat(10_000), 1000n],
  ])("is matched in linear time: %s", (source, text, expected) => {
    expect(value(source, text)).toMatchObject({ value: expected });
  });

  test.each([
    [`text.matches('${exploding}')`, random],
    [`text.find('${exploding}') == ''`, random],
    ["text.findAll('a.*c|a').size() > 0", "a".repeat(10_000)],
  ])("ends as an expression that costs too much: %s", (source, text) => {
    expect(value(source, text)).toMatchObject({ isTooExpensive: true });
  });

  test("is an error of the expression if it is too large to compile", () => {
    expect(value("text.matches(text)", "a{900}".repeat(10))).toMatchObject({
      error: "error parsing regexp: expression too large",
      isTooExpensive: false,
    });
  });
});
